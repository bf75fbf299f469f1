import type { Block } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { chunked } from '../src/lib/state/chunks.ts';

const block = (seq: number): Block => ({
  id: `e${seq}`,
  seq,
  at: '2026-01-01T00:00:00.000Z',
  verified: false,
  kind: 'memory',
  content: `note ${seq}`,
  scope: null,
});
const blocks = (length: number): Block[] => Array.from({ length }, (_, index) => block(index + 1));

describe('groups of blocks', () => {
  it('hold every block once and in order', () => {
    const all = blocks(321);
    expect(chunked(all, []).flatMap((chunk) => chunk.blocks)).toEqual(all);
  });

  it('stay the same objects when a block is added at the end', () => {
    const all = blocks(120);
    const before = chunked(all, []);
    const after = chunked([...all, block(121)], before);
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
  });

  it('are new where a block was replaced', () => {
    const all = blocks(120);
    const before = chunked(all, []);
    const after = chunked(all.with(60, block(61)), before);
    expect([0, 1, 2].map((index) => after[index] === before[index])).toEqual([true, false, true]);
  });
});
