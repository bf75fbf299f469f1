import type { Block } from '@filepath/protocol';

export type Chunk = { key: number; blocks: readonly Block[] };

const SIZE = 50;

/**
 * Blocks in groups that keep their identity while nothing in them changes, so that a new block at the end of a long
 * thread costs one group and not the whole.
 */
export function chunked(blocks: readonly Block[], before: readonly Chunk[]): Chunk[] {
  const out: Chunk[] = [];
  for (let from = 0; from < blocks.length; from += SIZE) {
    const key = from / SIZE;
    const old = before[key];
    out.push(
      old && same(old.blocks, blocks, from)
        ? old
        : { key, blocks: blocks.slice(from, from + SIZE) },
    );
  }
  return out;
}

function same(old: readonly Block[], blocks: readonly Block[], from: number): boolean {
  const length = Math.min(SIZE, blocks.length - from);
  return old.length === length && old.every((block, index) => block === blocks[from + index]);
}
