import { first, type Sql } from '../../storage/sql.ts';

export const STORED_TABLE =
  'CREATE TABLE stored (store TEXT NOT NULL, key TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (store, key))';

/** What the tools of one chat may keep, in each store. */
const MOST = { keys: 1_000, bytes: 16 * 1024 * 1024 };

/** Counts what the tools of a chat keep outside of it, so that there is an end to it. */
export class Stored {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Counted before it is kept. In words why there is no room, or null. */
  put(store: 'r2' | 'kv', key: string, bytes: number): string | null {
    return this.#sql.transaction(() => {
      const query =
        'SELECT count(*) AS keys, coalesce(sum(bytes), 0) AS bytes FROM stored WHERE store = ? AND key <> ?';
      const others = first<{ keys: number; bytes: number }>(this.#sql, query, store, key);
      if ((others?.keys ?? 0) >= MOST.keys) return `There are ${MOST.keys} keys already.`;
      if ((others?.bytes ?? 0) + bytes > MOST.bytes)
        return `There would be more than ${MOST.bytes} bytes in ${store}.`;
      this.#sql.run(
        'INSERT INTO stored VALUES (?, ?, ?) ON CONFLICT (store, key) DO UPDATE SET bytes = excluded.bytes',
        store,
        key,
        bytes,
      );
      return null;
    });
  }
}
