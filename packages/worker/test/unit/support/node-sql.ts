import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Row, Sql, SqlValue } from '../../../src/storage/sql.ts';

/** SQLite in memory, for behaviour that needs no workerd. */
export function nodeSql(): Sql {
  const db = new DatabaseSync(':memory:');
  let depth = 0;
  const statements = new Map<string, StatementSync>();
  const prepared = (query: string): StatementSync => {
    const known = statements.get(query) ?? db.prepare(query);
    statements.set(query, known);
    return known;
  };
  return {
    all: <T extends Row>(query: string, ...bindings: SqlValue[]) =>
      prepared(query)
        .all(...bindings)
        .map((row) => ({ ...row })) as T[],
    iterate: <T extends Row>(query: string, ...bindings: SqlValue[]) =>
      db.prepare(query).iterate(...bindings) as Iterable<T>,
    run: (query, ...bindings) => {
      prepared(query).run(...bindings);
    },
    transaction: (work) => {
      if (depth > 0) return work();
      depth += 1;
      db.exec('BEGIN');
      try {
        const result = work();
        db.exec('COMMIT');
        return result;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      } finally {
        depth -= 1;
      }
    },
  };
}
