import { first, type Sql } from '../../storage/sql.ts';
import type { MemoryRow } from './memory-row.ts';
import { ranked } from './ranking.ts';
import type { Condition } from './sight.ts';
import { indexed, matchOf } from './words.ts';

/** So many of what fits best by its words, or is newest, are ranked. */
const CANDIDATES = 500;

type Found = MemoryRow & { fit: number | null };

/** What answers a question, best first; without one, what is near, new and used. */
export function find(sql: Sql, { where, bindings }: Condition, q: string, now: number): Found[] {
  const match = matchOf(q);
  if (match === null && q.trim() !== '') return [];
  if (match !== null) takeUp(sql);
  const rows =
    match === null
      ? sql.all<Found>(
          `SELECT m.*, NULL AS fit FROM memories m WHERE ${where}
           ORDER BY max(m.updated_at, ifnull(m.used_at, 0)) DESC, m.id LIMIT ?`,
          ...bindings,
          CANDIDATES,
        )
      : sql.all<Found>(
          `SELECT m.*, -bm25(memory_index, 1.0, 2.0) AS fit
           FROM memory_index JOIN memories m ON m.n = memory_index.rowid
           WHERE memory_index MATCH ? AND ${where} ORDER BY fit DESC, m.updated_at DESC, m.id LIMIT ?`,
          match,
          ...bindings,
          CANDIDATES,
        );
  return ranked(rows, now);
}

/** What was stored or changed since the last search gets into the index. */
function takeUp(sql: Sql): void {
  const query = 'SELECT n, content, tags FROM memories WHERE indexed = 0 ORDER BY n LIMIT 500';
  sql.transaction(() => {
    let rows = sql.all<Pick<MemoryRow, 'n' | 'content' | 'tags'>>(query);
    while (rows.length > 0) {
      for (const { n, content, tags } of rows) {
        sql.run(
          'INSERT OR REPLACE INTO memory_index (rowid, content, tags) VALUES (?, ?, ?)',
          n,
          indexed(content),
          indexed(tags),
        );
        sql.run('UPDATE memories SET indexed = 1 WHERE n = ?', n);
      }
      rows = sql.all(query);
    }
  });
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
