import { first, type Sql } from './sql.ts';

export const VALUES_TABLE = 'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)';

/** Small JSON values by name. */
export function readValue<T>(sql: Sql, key: string): T | null {
  const row = first<{ value: string }>(sql, 'SELECT value FROM meta WHERE key = ?', key);
  return row ? (JSON.parse(row.value) as T) : null;
}

export function writeValue(sql: Sql, key: string, value: unknown): void {
  sql.run(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    JSON.stringify(value),
  );
}
