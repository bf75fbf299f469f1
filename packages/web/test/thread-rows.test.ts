import { type Block, newRunId, type ThreadRun } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ThreadRows } from '../src/lib/state/thread-rows.ts';
import { receipt } from './receipts.ts';

const base = { at: '2026-01-01T00:00:00.000Z', verified: false };
const message = (seq: number): Block => ({
  ...base,
  id: `e${seq}`,
  seq,
  kind: 'message',
  from: 'user',
  child: null,
  content: 'go',
});
const text = (seq: number): Block => ({
  ...base,
  id: `e${seq}`,
  seq,
  kind: 'text',
  content: 'said',
  partial: false,
  truncated: false,
});
const calls = (seq: number, number: number, run: string | null): Block => ({
  ...base,
  id: `e${seq}`,
  seq,
  kind: 'calls',
  run,
  calls: number,
  models: ['m'],
  tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  costUsd: 0,
  estimated: false,
});
const run = (number: number, from: number, to: number | null, calls?: number): ThreadRun => {
  const id = newRunId();
  const given = receipt(id, calls === undefined ? {} : { calls });
  return { run: id, number, from, to, receipt: to === null ? null : given };
};

const BLOCKS = [message(1), text(2), text(3), message(5), text(6), text(7)];
const kinds = (rows: readonly { kind: string }[]): string[] => rows.map(({ kind }) => kind);

describe('the rows of a thread', () => {
  it('[UIV7] have a line where a run ended, and none for one that is open', () => {
    const runs = [run(1, 1, 4), run(2, 5, null)];
    const rows = new ThreadRows().of(BLOCKS, runs, new Set());
    expect(kinds(rows)).toEqual(['message', 'text', 'text', 'run', 'message', 'text', 'text']);
    expect(rows[3]).toMatchObject({ seq: 4, folded: false, blocks: 2 });
  });

  it('[UIV8] leave of a folded run its message and its line', () => {
    const runs = [run(1, 1, 4), run(2, 5, 7)];
    const rows = new ThreadRows().of(BLOCKS, runs, new Set([runs[0]?.run ?? '']));
    expect(kinds(rows)).toEqual(['message', 'run', 'message', 'text', 'text', 'run']);
    expect(rows[1]).toMatchObject({ folded: true, blocks: 2 });
  });

  it('[UIV7] have the line of a run whose beginning is not read', () => {
    const rows = new ThreadRows().of(BLOCKS.slice(2), [run(9, 1, 4)], new Set());
    expect(kinds(rows)).toEqual(['text', 'run', 'message', 'text', 'text']);
    expect(rows[1]).toMatchObject({ blocks: null });
  });

  it('[UIV7] say the calls of a run once, in its line, also if some were settled after its end', () => {
    for (const [to, metered, shown] of [
      [3, 3, false],
      [3, 2, false],
      [3, 4, true],
      [null, undefined, true],
    ] as const) {
      const one = run(1, 1, to, metered);
      const blocks = [message(1), calls(2, 3, one.run), text(3)];
      const rows = new ThreadRows().of(blocks, [one], new Set());
      expect(kinds(rows).includes('calls')).toBe(shown);
    }
  });

  it('[UIV7] [LED16] count a call for the run that made it, not for the one in which it was settled', () => {
    const runs = [run(1, 1, 3), run(2, 4, 7, 1), run(3, 8, null)];
    const [first, second] = runs.map((one) => one.run);
    const late = calls(6, 1, first ?? null);
    const blocks = [message(1), text(2), message(4), calls(5, 1, second ?? null), late, message(8)];
    const table = new ThreadRows();
    const rows = table.of(blocks, runs, new Set());
    expect(kinds(rows)).toEqual(['message', 'text', 'run', 'message', 'run', 'message']);
    expect(rows[2]).toMatchObject({ run: { receipt: { calls: 1, tokens: { input: 1 } } } });
    expect(table.of(blocks, runs, new Set())[2]).toBe(rows[2]);
  });

  it('[UIV7] say that a run is done once, unless the agent says more of it', () => {
    const done = (summary: string | null): Block => ({
      ...base,
      id: 'e3',
      seq: 3,
      kind: 'done',
      summary,
    });
    const of = (summary: string | null) =>
      kinds(new ThreadRows().of([message(1), done(summary)], [run(1, 1, 3)], new Set()));
    expect(of(null)).toEqual(['message', 'run']);
    expect(of('all of it')).toEqual(['message', 'done', 'run']);
  });

  it('[UIV6] keep a line the same object while it says the same', () => {
    const rows = new ThreadRows();
    const runs = [run(1, 1, 4)];
    const [first, again] = [rows.of(BLOCKS, runs, new Set()), rows.of(BLOCKS, runs, new Set())];
    expect(again[3]).toBe(first[3]);
    expect(rows.of(BLOCKS, runs, new Set([runs[0]?.run ?? '']))[1]).not.toBe(first[3]);
  });

  it('[UIV14] leave out a summary that the last text began with', () => {
    const done = (summary: string): Block => ({ ...base, id: 'e4', seq: 4, kind: 'done', summary });
    const said = { ...text(3), content: 'All **done**:\n\n- one\n- two' } as Block;
    const rows = (summary: string) =>
      kinds(new ThreadRows().of([message(1), said, done(summary)], [run(1, 1, 4)], new Set()));
    expect(rows('All **done**: - one…')).toEqual(['message', 'text', 'run']);
    expect(rows('Merged it too.')).toEqual(['message', 'text', 'done', 'run']);
  });

  it('[UIV14] leave out what header and run lines say, unless every line is asked for', () => {
    const status = (seq: number, state: 'running' | 'error', reason: string | null): Block => ({
      ...base,
      id: `e${seq}`,
      seq,
      kind: 'status',
      state,
      reason,
      contextPct: 0.1,
    });
    const usage: Block = {
      ...base,
      id: 'e8',
      seq: 8,
      kind: 'usage',
      model: 'm',
      input: 1,
      output: 1,
      cost: null,
    };
    const lines = [
      status(5, 'running', null),
      status(6, 'running', 'waits'),
      status(7, 'error', null),
    ];
    const shown = (blocks: Block[], every: boolean) =>
      new ThreadRows().of(blocks, [], new Set(), every).map(({ seq }) => seq);
    expect(shown([...lines, usage], false)).toEqual([6, 7, 8]);
    expect(shown([...lines, usage, calls(9, 1, null)], false)).toEqual([6, 7, 9]);
    expect(shown([...lines, usage, calls(9, 1, null)], true)).toEqual([5, 6, 7, 8, 9]);
  });
});
