import type { Row } from './thread-rows.ts';

export type Chunk = { key: number; rows: readonly Row[] };

const SPAN = 4;

/**
 * Rows in groups by their seq, so that neither what is added at the end nor what is read before the beginning moves a
 * row from one group to another. A group keeps its identity while nothing in it changes.
 */
export function chunked(rows: readonly Row[], before: readonly Chunk[]): readonly Chunk[] {
  const known = new Map(before.map((chunk) => [chunk.key, chunk]));
  const out: Chunk[] = [];
  for (let from = 0, key = 0; from < rows.length;) {
    // A draft keeps the seq at which it began, and stands after everything.
    key = Math.max(key, keyOf(rows[from]));
    let to = from + 1;
    while (to < rows.length && keyOf(rows[to]) <= key) to += 1;
    const old = known.get(key);
    out.push(old && same(old.rows, rows, from, to) ? old : { key, rows: rows.slice(from, to) });
    from = to;
  }
  return out;
}

/** The group that has the last row up to a seq. */
export function chunkAt(chunks: readonly Chunk[], seq: number): Chunk | undefined {
  return chunks.findLast(({ rows }) => (rows[0]?.seq ?? 0) <= seq) ?? chunks[0];
}

function keyOf(row: Row | undefined): number {
  return Math.floor((row?.seq ?? 0) / SPAN);
}

function same(old: readonly Row[], rows: readonly Row[], from: number, to: number): boolean {
  return old.length === to - from && old.every((row, index) => row === rows[from + index]);
}
