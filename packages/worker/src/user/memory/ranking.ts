import type { MemoryScope } from '@filepath/protocol';

export type Rankable = {
  readonly id: string;
  readonly scope: string;
  readonly updated_at: number;
  readonly uses: number;
  /** How well it answers, more is better; null where nothing was asked. */
  readonly fit: number | null;
};

const HALF_LIFE_MS = 30 * 24 * 3_600_000;

/** The nearer a memory is to the agent, the more it counts. */
const WEIGHT: Record<MemoryScope, number> = { agent: 1.6, session: 1.4, repository: 1.2, user: 1 };

/** One that is old counts half as much as a new one at most: what is true stays true. */
const recency = (at: number, now: number): number =>
  0.5 + 0.5 * 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);

/** Uses count ever less. */
const use = (uses: number): number => 1 + Math.log2(1 + Math.min(uses, 1023)) / 20;

/** Best first. What is alike in all is ordered by time, then by id: the same question has the same answer. */
export function ranked<T extends Rankable>(rows: readonly T[], now: number): T[] {
  const best = Math.max(0, ...rows.map(({ fit }) => fit ?? 0));
  const score = (row: T): number => {
    const weight = WEIGHT[row.scope as MemoryScope] * recency(row.updated_at, now);
    if (row.fit === null) return weight * use(row.uses);
    return weight * (best > 0 ? row.fit / best : 1);
  };
  return rows
    .map((row) => ({ row, score: score(row) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.row.updated_at - a.row.updated_at ||
        (a.row.id < b.row.id ? -1 : a.row.id > b.row.id ? 1 : 0),
    )
    .map(({ row }) => row);
}
