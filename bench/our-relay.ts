import { Api, follow, type Instance, isType } from '@filepath/testkit';
import type { LogEvent } from '@filepath/protocol';
import type { RelayFigures } from './bare-relay.ts';
import { percentile, wallMs } from './statistics.ts';

/** Prints the time, waits, and again; then as many lines as fast as it can. */
const agent = (singles: number, gapMs: number, total: number): string[] => [
  'perl',
  '-MTime::HiRes=time,sleep',
  '-e',
  `$| = 1;
   for (1..${singles}) { printf qq({"type":"text","content":"%.3f"}\\n), time * 1000; sleep ${gapMs / 1000}; }
   $| = 0;
   for (1..${total}) { print qq({"type":"text","content":"$_"}\\n); }
   print qq({"type":"done"}\\n);`,
];

const contentOf = (event: LogEvent): string =>
  event.source === 'fap' ? String(Reflect.get(event.body as object, 'content')) : '';

/** Agent line → spool → runner → stored → WebSocket client. */
export async function ourRelay(
  instance: Instance,
  singles: number,
  gapMs: number,
  total: number,
): Promise<RelayFigures> {
  const api = new Api(instance);
  const { node } = await api.agent(agent(singles, gapMs, total));
  const delays: number[] = [];
  let first = 0;
  let last = 0;
  const feed = follow(instance, node.id, (events) => {
    const now = wallMs();
    for (const event of events) {
      const content = contentOf(event);
      if (content.includes('.')) delays.push(now - Number(content));
      else if (content === '1') first = now;
      else if (content === String(total)) last = now;
    }
  });
  await api.message(node.id, 'go');
  await feed.until((event) => event.source === 'fap' && isType('done')(event));
  feed.close();
  return {
    p50: percentile(delays, 50),
    p95: percentile(delays, 95),
    perSecond: (total * 1000) / (last - first),
  };
}
