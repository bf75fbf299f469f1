import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SkyEvent, SkyOrder } from '../../src/sky/index.ts';
import { skyEvents } from './sample.ts';

function firstFault(events: readonly SkyEvent[]): string | null {
  const order = new SkyOrder();
  for (const event of events) {
    const fault = order.next(event);
    if (fault !== null) return fault;
  }
  return null;
}

const again = skyEvents.map((event) => ({
  ...event,
  run_id: 'run_0123456789ABCDEFGHIJcd' as (typeof event)['run_id'],
}));
const at = (index: number): SkyEvent => {
  const event = skyEvents[index];
  if (event === undefined) throw new Error(`no event ${index}`);
  return event;
};
const failed: SkyEvent = {
  ...at(7),
  type: 'run.error',
  error_code: 'lost',
  message: 'The worker was restarted.',
} as SkyEvent;

describe('the order of events', () => {
  it('[SKY3] holds for whole runs, one after the other, and for a run that goes on', () => {
    expect(firstFault([...skyEvents, ...again])).toBeNull();
    for (let length = 0; length <= skyEvents.length; length += 1) {
      expect(firstFault(skyEvents.slice(0, length))).toBeNull();
    }
  });

  it('[SKY3] may end with an error at any time, with calls open', () => {
    for (let length = 1; length < skyEvents.length; length += 1) {
      expect(firstFault([...skyEvents.slice(0, length), failed])).toBeNull();
    }
  });

  it('[SKY3] is broken by any event that is repeated or comes earlier', () => {
    const index = fc.nat({ max: skyEvents.length - 1 });
    fc.assert(
      fc.property(index, index, (from, to) => {
        const repeated = skyEvents.toSpliced(to, 0, at(from));
        expect(firstFault(repeated)).not.toBeNull();
        fc.pre(from !== to);
        expect(firstFault(skyEvents.with(from, at(to)).with(to, at(from)))).not.toBeNull();
      }),
    );
  });

  it.each<[what: string, events: readonly SkyEvent[], fault: string]>([
    ['a run that begins in another', [at(0), ...again], 'starts while'],
    ['an event before its run', skyEvents.slice(1), 'no run is open'],
    ['an event of another run', [at(0), again[5] as SkyEvent], 'is of run_'],
    ['arguments of no call', skyEvents.toSpliced(1, 1), 'before the call c1 starts'],
    ['a result without arguments', skyEvents.toSpliced(3, 1), 'a result before its arguments'],
    ['an end while a call is open', skyEvents.toSpliced(4, 1), '1 calls have no result'],
    ['an event after the end', [...skyEvents, failed], 'no run is open'],
  ])('[SKY3] names %s', (_what, events, fault) => {
    expect(firstFault(events)).toContain(fault);
  });
});
