/** The part of SQLite that the objects use. In workerd it is the object's storage, in tests `node:sqlite`. */
export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

export interface Sql {
  all<T extends Row = Row>(query: string, ...bindings: SqlValue[]): T[];
  /** Rows one by one: the rest is not read when the caller stops. Nothing may be written meanwhile. */
  iterate<T extends Row = Row>(query: string, ...bindings: SqlValue[]): Iterable<T>;
  run(query: string, ...bindings: SqlValue[]): void;
  /** Runs `work` in one transaction; it is rolled back when `work` throws. */
  transaction<T>(work: () => T): T;
}

export function first<T extends Row = Row>(
  sql: Sql,
  query: string,
  ...bindings: SqlValue[]
): T | null {
  return sql.all<T>(query, ...bindings)[0] ?? null;
}
