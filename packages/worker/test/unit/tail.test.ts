import { LIMITS, ThreadTail } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { readTail } from '../../src/thread/tail.ts';
import { newThread, observe, type TestThread } from './support/threads.ts';

const text = (content: string) => ({ type: 'text', content });

const tail = (t: TestThread, before: number | null = null, limit = 1000) =>
  ThreadTail.parse(JSON.parse(readTail(t.sql, t.thread, before, limit)));

/** Two runs that ended and one that is open: seqs 1 to 10. */
function threeRuns(): TestThread {
  const t = newThread();
  t.thread.message('user', 'one', null);
  observe(t, { type: 'started' });
  t.say(text('a'), { type: 'done' });
  t.thread.message('user', 'two', null);
  t.say(text('b'), { type: 'done' });
  t.thread.message('user', 'three', null);
  t.say(text('c'), text('d'));
  return t;
}

describe('the end of a log', () => {
  it('[UIV1] has the last events in their order, and says where the page before begins', () => {
    const t = threeRuns();
    const last = tail(t, null, 4);
    expect(last.events).toEqual(t.events().slice(-4));
    expect(last.before).toBe(7);
    const middle = tail(t, last.before, 4);
    expect([middle.events.map(({ seq }) => seq), middle.before]).toEqual([[3, 4, 5, 6], 3]);
    const first = tail(t, middle.before, 4);
    expect([first.events.map(({ seq }) => seq), first.before]).toEqual([[1, 2], null]);
    expect(tail(newThread())).toMatchObject({ events: [], before: null, runs: [] });
  });

  it('[UIV1] tells how the thread stands there: its lifecycle and what waits in the queue', () => {
    const t = threeRuns();
    t.thread.message('user', 'later', null, 'after');
    const { now } = tail(t, null, 1);
    expect(now?.lifecycle).toEqual(t.thread.state.lifecycle);
    expect(now?.lifecycle.open).toBe(true);
    expect(now?.queue).toMatchObject([{ content: 'later' }]);
    expect(tail(t, 4).now).toBeNull();
  });

  it('[UIV1] names the runs of its events by number, with their receipts', () => {
    const t = threeRuns();
    expect(tail(t).runs).toMatchObject([
      { number: 1, from: 1, to: 4, receipt: { status: 'completed', ended_by: 4, verified: false } },
      { number: 2, from: 5, to: 7, receipt: { status: 'completed', ended_by: 7 } },
      { number: 3, from: 8, to: null, receipt: null },
    ]);
    expect(tail(t, 8, 1).runs.map(({ number }) => number)).toEqual([2]);
    expect(tail(t, null, 1).runs.map(({ number }) => number)).toEqual([3]);
  });

  it('[UIV1] is bounded in bytes, and holds at least one event', () => {
    const t = newThread();
    t.thread.message('user', 'go', null);
    observe(t, { type: 'started' });
    const large = 'x'.repeat(LIMITS.inlineBody - 100);
    for (let i = 0; i < 20; i += 1) t.say(text(large));
    const page = tail(t);
    expect(JSON.stringify(page).length).toBeLessThan(2.5 * LIMITS.frame);
    expect(page.events.at(-1)?.seq).toBe(22);
    expect(page.before).toBe(page.events[0]?.seq);
    expect(tail(t, page.before).events.at(-1)?.seq).toBe((page.before ?? 0) - 1);
  });
});
