import {
  INITIAL,
  lifecycleOf,
  LogEvent,
  newMessageId,
  newRunId,
  newThreadId,
  type RunId,
  type ThreadTail,
  toBlocks,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ThreadLog } from '../src/lib/state/thread-log.ts';

const thread = newThreadId();
const waiting = newMessageId();

type Said = { source: LogEvent['source']; run?: RunId | null; body: unknown };

const log = (said: readonly Said[]): LogEvent[] =>
  said.map(({ source, run = null, body }, index) =>
    LogEvent.parse({
      seq: index + 1,
      thread,
      run,
      step: null,
      event: 0,
      at: '2026-01-01T00:00:00.000Z',
      source,
      body,
      hash: '0'.repeat(64),
    }),
  );

const run = newRunId();
const fap = (body: unknown): Said => ({ source: 'fap', run, body });

/** Blocks that begin early and end late: a tool, a commit, a question, a message in the queue. */
const LOG = log([
  { source: 'user', run, body: { type: 'message', content: 'go' } },
  { source: 'runner', run, body: { type: 'started', epoch: 1, executor: 'sandbox' } },
  fap({ type: 'tool', id: 't1', name: 'edit', path: 'a.ts', status: 'start' }),
  fap({ type: 'decision', id: 'q1', prompt: 'May I?', options: ['yes', 'no'] }),
  { source: 'user', run, body: { type: 'queued', id: waiting, content: 'later' } },
  ...Array.from({ length: 30 }, (_, n) => fap({ type: 'text', content: `line ${n}` })),
  fap({ type: 'tool', id: 't1', name: 'edit', path: 'a.ts', status: 'done', output: 'ok' }),
  { source: 'user', run, body: { type: 'decision', id: 'q1', choice: 'yes' } },
  fap({ type: 'text', content: 'end' }),
]);

/** The last events before a seq, as the worker gives them. */
function page(events: readonly LogEvent[], before: number | null, limit: number): ThreadTail {
  const upTo = before === null ? events : events.slice(0, before - 1);
  const last = upTo.slice(-limit);
  const first = last[0]?.seq ?? 0;
  const queue = [{ id: waiting, seq: 5, at: '2026-01-01T00:00:00.000Z', content: 'later' }];
  return {
    events: [...last],
    before: first > 1 ? first : null,
    runs: [{ run, number: 1, from: 1, to: null, receipt: null }],
    now: before === null ? { lifecycle: lifecycleOf(events), queue } : null,
  };
}

const breathe = (): Promise<void> => Promise.resolve();

describe('a thread that is read from its end', () => {
  it('[UIV3] shows the same as one that was read from its beginning, however it was cut', async () => {
    for (const size of [1, 7, 20, 100]) {
      const part = new ThreadLog();
      part.open(page(LOG, null, size));
      while (part.before !== null) await part.prepend(page(LOG, part.before, size), breathe);
      expect(part.blocks).toEqual(toBlocks(LOG));
      expect(part.lifecycle).toEqual(lifecycleOf(LOG));
    }
  });

  it('[UIV3] knows at once what waits in the queue and whether a run is open', () => {
    const part = new ThreadLog();
    part.open(page(LOG, null, 2));
    expect(part.lifecycle.open).toBe(true);
    expect(part.blocks.filter(({ kind }) => kind === 'queued')).toMatchObject([
      { message: waiting, content: 'later', state: 'waiting' },
    ]);
    part.take(
      log([
        ...LOG.map(({ source, body }) => ({ source, run, body })),
        { source: 'user', run, body: { type: 'withdrawn', id: waiting } },
      ]).slice(-1),
    );
    expect(part.blocks.some(({ kind }) => kind === 'queued')).toBe(false);
  });

  it('[UIV3] loses nothing that comes, or is written, while what is earlier is read', async () => {
    const part = new ThreadLog();
    part.open(page(LOG.slice(0, -3), null, 10));
    part.draft('d', 'half a');
    let breaths = 0;
    await part.prepend(page(LOG, part.before, 100), async () => {
      breaths += 1;
      if (breaths === 1) part.take(LOG.slice(-3));
    });
    part.delta('d', ' word');
    expect(breaths).toBeGreaterThan(0);
    const drafts = part.blocks.filter((block) => block.kind === 'text' && block.partial);
    expect(drafts).toMatchObject([{ content: 'half a word' }]);
    expect(part.blocks.filter((block) => !drafts.includes(block))).toEqual(toBlocks(LOG));
  });

  it('[UIV6] gives up its beginning, and keeps what waits', async () => {
    const part = new ThreadLog();
    part.open(page(LOG, null, 1000));
    await part.forget(5, breathe);
    expect([part.size, part.before, part.first]).toEqual([5, LOG.length - 4, LOG.length - 4]);
    expect(part.blocks.filter(({ kind }) => kind === 'queued')).toHaveLength(1);
    while (part.before !== null) await part.prepend(page(LOG, part.before, 10), breathe);
    expect(part.blocks).toEqual(toBlocks(LOG));
  });

  it('[UIV7] follows runs as they open and end', () => {
    const part = new ThreadLog();
    const other = newRunId();
    part.open({ events: [], before: null, runs: [], now: { lifecycle: INITIAL, queue: [] } });
    const events = log([
      { source: 'user', run, body: { type: 'message', content: 'one' } },
      fap({ type: 'text', content: 'a' }),
      fap({ type: 'done' }),
      { source: 'user', run: other, body: { type: 'message', content: 'two' } },
      { source: 'fap', run: other, body: { type: 'text', content: 'b' } },
    ]);
    for (const event of events) part.take([event]);
    expect(part.runs).toMatchObject([
      { run, number: 1, from: 1, to: 3 },
      { run: other, number: 2, from: 4, to: null },
    ]);
  });
});
