import type { Row, Sql, SqlValue } from './sql.ts';

/** A Durable Object's SQLite as `Sql`. */
export function durableSql(storage: DurableObjectStorage): Sql {
  return {
    all: <T extends Row>(query: string, ...bindings: SqlValue[]) =>
      storage.sql.exec<T>(query, ...bindings).toArray(),
    iterate: <T extends Row>(query: string, ...bindings: SqlValue[]) =>
      storage.sql.exec<T>(query, ...bindings),
    run: (query, ...bindings) => {
      storage.sql.exec(query, ...bindings);
    },
    transaction: (work) => storage.transactionSync(work),
  };
}
