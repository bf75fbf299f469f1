import type { Block } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { chunkAt, chunked } from '../src/lib/state/chunks.ts';

const block = (seq: number): Block => ({
  id: `e${seq}`,
  seq,
  at: '2026-01-01T00:00:00.000Z',
  verified: false,
  kind: 'memory',
  content: `note ${seq}`,
  scope: null,
});
const blocks = (from: number, to: number): Block[] =>
  Array.from({ length: to - from + 1 }, (_, index) => block(from + index));
const draft: Block = {
  ...block(3),
  id: 'd1',
  kind: 'text',
  content: 'still',
  partial: true,
  truncated: false,
};

describe('groups of blocks', () => {
  it('[UIV6] hold every block once and in order, also a draft that began earlier', () => {
    const all = [...blocks(1, 321), draft];
    const chunks = chunked(all, []);
    expect(chunks.flatMap(({ rows }) => rows)).toEqual(all);
    expect(new Set(chunks.map(({ key }) => key)).size).toBe(chunks.length);
  });

  it('[UIV6] stay the same objects when a block is added at the end', () => {
    const all = blocks(1, 120);
    const before = chunked(all, []);
    const after = chunked([...all, block(121)], before);
    expect(after.slice(0, -1).every((chunk, index) => chunk === before[index])).toBe(true);
    expect(after.at(-1)).not.toBe(before.at(-1));
  });

  it('[UIV6] stay the same objects when what is earlier is read', () => {
    const all = blocks(1, 200);
    const before = chunked(all.slice(99), []);
    const after = chunked(all, before);
    expect(before.length).toBeGreaterThan(10);
    expect(before.slice(1).every((chunk) => after.includes(chunk))).toBe(true);
  });

  it('[UIV6] are new where a block was replaced, and nowhere else', () => {
    const all = blocks(1, 120);
    const before = chunked(all, []);
    const after = chunked(all.with(60, { ...block(61), verified: true }), before);
    expect(after.filter((chunk) => !before.includes(chunk)).map(({ key }) => key)).toEqual([15]);
  });

  it('[UIV9] name the one that has a seq, or the last block before it', () => {
    const chunks = chunked([...blocks(1, 20), ...blocks(60, 90)], []);
    expect(chunkAt(chunks, 61)?.rows.map(({ seq }) => seq)).toContain(61);
    expect(chunkAt(chunks, 40)?.rows.at(-1)?.seq).toBe(20);
    expect(chunkAt(chunks, 999)?.rows.at(-1)?.seq).toBe(90);
    expect(chunkAt([], 1)).toBeUndefined();
  });
});
