import { describe, expect, it } from 'vitest';
import { chainHash, ChainReader, type ChainFault, GENESIS, type LogEvent } from '../src/index.ts';
import { fap, log, sha256, user } from './events.ts';

const events = log(
  user('go'),
  ...['a', 'b', 'c', 'd'].map((content) => fap({ type: 'text', content })),
);

function firstFault(read: readonly LogEvent[]): ChainFault | null {
  const reader = new ChainReader(sha256);
  for (const event of read) {
    const fault = reader.next(event);
    if (fault) return fault;
  }
  return null;
}

const at = (seq: number): LogEvent => {
  const event = events[seq - 1];
  if (event === undefined) throw new Error(`no event ${seq}`);
  return event;
};

describe('the chain', () => {
  it('[LOG4] begins with 64 zeros and ends with the hash of the last event', () => {
    const reader = new ChainReader(sha256);
    expect(reader.head).toBe(GENESIS);
    for (const event of events) expect(reader.next(event)).toBeNull();
    expect(reader).toMatchObject({ head: at(5).hash, count: 5 });
  });

  it.each([
    ['body', { body: { type: 'text', content: 'B' } }],
    ['time', { at: '2030-01-01T00:00:00.000Z' }],
    ['source', { source: 'runner' as const }],
    ['number', { event: 77 }],
    ['hash', { hash: sha256('x') }],
  ])('[LOG6] names an event whose %s was changed', (_what, change) => {
    const read = events.map((event) => (event.seq === 3 ? { ...event, ...change } : event));
    expect(firstFault(read)).toMatchObject({ seq: 3, fault: 'changed' });
  });

  it('[LOG6] names the event after one whose change was hashed again', () => {
    const hash = chainHash(sha256, GENESIS, at(1), JSON.stringify({ type: 'forged' }));
    const rehashed = [{ ...at(1), body: { type: 'forged' }, hash }, ...events.slice(1)];
    expect(firstFault(rehashed)).toMatchObject({ seq: 2, fault: 'changed' });
  });

  it.each([1, 2, 4])('[LOG6] names event %i when it is missing', (seq) => {
    const read = events.filter((event) => event.seq !== seq);
    expect(firstFault(read)).toMatchObject({ seq, fault: 'missing' });
  });

  it('[LOG6] names an event that comes twice, and one that comes late', () => {
    expect(firstFault([at(1), at(2), at(2)])).toMatchObject({ seq: 2, fault: 'reordered' });
    expect(firstFault([at(1), at(2), at(3), at(1)])).toMatchObject({ seq: 1, fault: 'reordered' });
  });

  it('[LOG5] is the same for events that went through JSON', () => {
    const again = events.map((event) => JSON.parse(JSON.stringify(event)) as LogEvent);
    expect(firstFault(again)).toBeNull();
  });
});
