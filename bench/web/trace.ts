import type { Page } from 'playwright-core';
import { z } from 'zod';

const TraceEvent = z.looseObject({
  name: z.string(),
  ph: z.string(),
  ts: z.number().default(0),
  dur: z.number().default(0),
  /** Of the processor, not of the clock: what else the machine does is not the page's. */
  tdur: z.number().optional(),
  pid: z.number(),
  tid: z.number(),
});
type TraceEvent = z.infer<typeof TraceEvent>;

/** What a page does in JavaScript, however it was called; what layout it forces counts with it. */
const SCRIPT = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
]);

/** Milliseconds of script between each two frames while something is done to the page. */
export async function scriptPerFrame(page: Page, work: () => Promise<unknown>): Promise<number[]> {
  const devtools = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  devtools.on('Tracing.dataCollected', ({ value }) => {
    for (const one of value) events.push(TraceEvent.parse(one));
  });
  const complete = new Promise<void>((resolve) => {
    devtools.once('Tracing.tracingComplete', () => resolve());
  });
  // Its callback is in each frame, and marks where one begins.
  await page.evaluate(() => {
    const mark = (): void => void requestAnimationFrame(mark);
    mark();
  });
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'v8.execute'] },
  });
  await work();
  await devtools.send('Tracing.end');
  await complete;
  await devtools.detach();
  return perFrame(events);
}

/** The events of the thread that draws the page, as the sum of their outermost spans for each frame. */
function perFrame(events: readonly TraceEvent[]): number[] {
  const drawing = busiest(events.filter(({ name }) => name === 'FireAnimationFrame'));
  const spans = events
    .filter((one) => threadOf(one) === drawing && one.ph === 'X' && SCRIPT.has(one.name))
    .toSorted((a, b) => a.ts - b.ts || b.dur - a.dur);
  const frames: number[] = [];
  let frameAt = -1;
  let end = 0;
  for (const { name, ts, dur, tdur = dur } of spans) {
    // Several callbacks of one frame follow each other at once.
    if (name === 'FireAnimationFrame' && (frameAt < 0 || ts - frameAt > 4000)) {
      frameAt = ts;
      frames.push(0);
    }
    if (ts < end || frames.length === 0) continue;
    end = ts + dur;
    frames[frames.length - 1] = (frames.at(-1) ?? 0) + tdur / 1000;
  }
  return frames.slice(0, -1);
}

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;

function busiest(events: readonly TraceEvent[]): string {
  const counts = new Map<string, number>();
  for (const one of events) counts.set(threadOf(one), (counts.get(threadOf(one)) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  if (first === undefined) throw new Error('the page drew no frame');
  return first[0];
}
