import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockReducer, type LogEvent, newThreadId, StepId, toBlocks } from '../src/index.ts';
import { agentEvent, json, source } from './arbitraries.ts';
import { exit, fap, log, type Said, started, system, user } from './events.ts';

/** Few names, ids and steps, so that starts and ends meet. */
const few = fc.constantFrom('a', 'b', 'c');
const step = few.map((end) => StepId.parse(`st_${end.padEnd(22, 'x')}`));
const work = fc
  .tuple(
    fc.record(
      {
        type: fc.constantFrom('tool', 'command'),
        name: few,
        cmd: few,
        path: few,
        id: few,
        status: fc.constantFrom('start', 'done', 'error'),
        output: fc.string(),
      },
      { requiredKeys: ['type', 'name', 'cmd', 'status'] },
    ),
    fc.option(step, { nil: undefined }),
  )
  .map(([body, at]) => fap(body, at));
const node = newThreadId();
const said: fc.Arbitrary<Said> = fc.oneof(
  { arbitrary: work, weight: 4 },
  agentEvent.map((body) => fap(body)),
  few.map((hash) => fap({ type: 'commit', hash, message: '' })),
  few.map((name) => fap({ type: 'spawn', name, agent: 'custom', model: '' })),
  fc.nat(20).map((spawn) => system({ type: 'spawned', spawn: spawn + 1, node, name: 'x' })),
  fc.constantFrom(user('hi'), started, exit(), fap({ type: 'status', state: 'idle' })),
  fc.record({ source, body: json }),
);
const events = fc.array(said, { maxLength: 60 }).map((all) => log(...all));

describe('the reducer on any log', () => {
  it('[BLK1] gives the same blocks one at a time, in batches and all at once', () => {
    fc.assert(
      fc.property(events, fc.array(fc.integer({ min: 1, max: 9 })), (all, sizes) => {
        const whole = toBlocks(all);
        expect(fed(all, () => 1)).toEqual(whole);
        expect(fed(all, (n) => sizes[n] ?? 5)).toEqual(whole);
      }),
    );
  });

  it('[BLK1] ignores events it has seen', () => {
    fc.assert(
      fc.property(events, fc.nat(60), fc.nat(60), (all, from, to) => {
        const reducer = new BlockReducer();
        reducer.push(all);
        const before = reducer.blocks;
        reducer.push(all.slice(from, to));
        expect(reducer.blocks).toBe(before);
      }),
    );
  });

  it('[BLK2] never throws, and every event is in some block', () => {
    fc.assert(
      fc.property(events, (all) => {
        const blocks = toBlocks(all);
        expect(blocks.length).toBeLessThanOrEqual(all.length);
        expect(blocks.length > 0).toBe(all.length > 0);
      }),
    );
  });

  it('[BLK2] never throws on bodies that are not even JSON', () => {
    const circular: Record<string, unknown> = { type: 'text' };
    circular['self'] = circular;
    for (const body of [undefined, 1n, Symbol('x'), () => 1, circular, new Map(), NaN]) {
      const [first] = log(user('x'));
      expect(toBlocks(first ? [{ ...first, source: 'fap', body }] : [])).toHaveLength(1);
    }
  });

  it('[BLK6] has unique ids, rising seqs, and changes no block in place', () => {
    fc.assert(
      fc.property(events, (all) => {
        const reducer = new BlockReducer();
        for (const event of all) {
          const before = reducer.blocks;
          const copy = before.map((block) => ({ ...block }));
          reducer.push([event]);
          expect(before).toEqual(copy);
        }
        const { blocks } = reducer;
        expect(new Set(blocks.map((block) => block.id)).size).toBe(blocks.length);
        expect(blocks.map((block) => block.seq)).toEqual(
          blocks.map((block) => block.seq).sort((a, b) => a - b),
        );
      }),
    );
  });
});

function fed(all: readonly LogEvent[], size: (batch: number) => number) {
  const reducer = new BlockReducer();
  for (let at = 0, batch = 0; at < all.length; batch += 1) {
    const end = at + size(batch);
    reducer.push(all.slice(at, end));
    // Reading between batches must not change what comes out.
    expect(reducer.blocks.length).toBeLessThanOrEqual(end);
    at = end;
  }
  return reducer.blocks;
}
