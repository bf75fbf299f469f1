import { first, type Sql } from '../../storage/sql.ts';
import type { MemoryRow } from './memory-row.ts';
import { ranked } from './ranking.ts';
import type { Condition } from './sight.ts';
import { matchOf } from './words.ts';

/** So many of what fits best by its words, or is newest, are ranked. */
const CANDIDATES = 500;

type Found = MemoryRow & { fit: number | null };

/** What answers a question, best first; without one, what is near, new and used. */
export function find(sql: Sql, { where, bindings }: Condition, q: string, now: number): Found[] {
  const match = matchOf(q);
  if (match === null && q.trim() !== '') return [];
  const rows =
    match === null
      ? sql.all<Found>(
          `SELECT m.*, NULL AS fit FROM memories m WHERE ${where}
           ORDER BY max(m.updated_at, ifnull(m.used_at, 0)) DESC, m.id LIMIT ?`,
          ...bindings,
          CANDIDATES,
        )
      : sql.all<Found>(
          `SELECT m.*, -bm25(memory_words, 1.0, 2.0) AS fit
           FROM memory_words JOIN memories m ON m.n = memory_words.rowid
           WHERE memory_words MATCH ? AND ${where} ORDER BY fit DESC, m.updated_at DESC, m.id LIMIT ?`,
          match,
          ...bindings,
          CANDIDATES,
        );
  return ranked(rows, now);
}

export function newest(sql: Sql, { where, bindings }: Condition, limit: number): MemoryRow[] {
  return sql.all<MemoryRow>(
    `SELECT m.* FROM memories m WHERE ${where} ORDER BY m.updated_at DESC, m.id LIMIT ?`,
    ...bindings,
    limit,
  );
}

export function countOf(sql: Sql, { where, bindings }: Condition): number {
  const query = `SELECT count(*) AS n FROM memories m WHERE ${where}`;
  return first<{ n: number }>(sql, query, ...bindings)?.n ?? 0;
}
