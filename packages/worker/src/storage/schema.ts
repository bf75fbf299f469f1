import { first, type Sql } from './sql.ts';

/**
 * Brings an object's tables to the newest version. `migrations[n]` leads from version n to n + 1; each holds
 * statements that are run one by one. Nothing is written for an object that was never used: see `isFresh`.
 */
export function migrate(sql: Sql, migrations: readonly (readonly string[])[]): void {
  sql.transaction(() => {
    sql.run('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
    const row = first<{ version: number }>(sql, 'SELECT version FROM schema_version');
    const version = row?.version ?? 0;
    if (version > migrations.length) {
      throw new Error(
        `storage has version ${version}, this program knows up to ${migrations.length}: start a newer filepath`,
      );
    }
    if (version === migrations.length) return;
    for (const statements of migrations.slice(version)) {
      for (const statement of statements) sql.run(statement);
    }
    sql.run('DELETE FROM schema_version');
    sql.run('INSERT INTO schema_version (version) VALUES (?)', migrations.length);
  });
}

/** An object that holds nothing: an id that somebody made up costs no storage. */
export function isFresh(sql: Sql): boolean {
  return first(sql, "SELECT name FROM sqlite_master WHERE name = 'schema_version'") === null;
}
