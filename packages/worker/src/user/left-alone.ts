import { first, type Sql } from '../storage/sql.ts';
import type { WaitingRow } from './waiting-row.ts';

export const LEFT_TABLE =
  // What a person left as it is. Kept as long as it is so: what waits no more is forgotten after a while.
  'CREATE TABLE left_alone (id TEXT PRIMARY KEY, session TEXT NOT NULL, mark TEXT NOT NULL)';

type Thing = Pick<WaitingRow, 'id' | 'session' | 'mark'>;

/** What a person does not want to be asked about again. */
export class LeftAlone {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add({ id, session, mark }: Thing): void {
    this.#sql.run('INSERT OR REPLACE INTO left_alone VALUES (?, ?, ?)', id, session, mark);
  }

  has({ id, mark }: Pick<Thing, 'id' | 'mark'>): boolean {
    const query = 'SELECT id FROM left_alone WHERE id = ? AND mark = ?';
    return first(this.#sql, query, id, mark) !== null;
  }

  /** What is not so any more is forgotten. */
  keep(session: string, ids: ReadonlySet<string>): void {
    this.#sql.run(
      'DELETE FROM left_alone WHERE session = ? AND id NOT IN (SELECT value FROM json_each(?))',
      session,
      JSON.stringify([...ids]),
    );
  }
}
