import type { GoneChild } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';

export const PARTINGS_TABLES: readonly string[] = [
  // Children that a person took away from a parent. at: the seq of that change of the tree. told: the parent knows, or is not to be told.
  `CREATE TABLE partings (
     parent TEXT NOT NULL, child TEXT NOT NULL, name TEXT NOT NULL, how TEXT NOT NULL, at INTEGER NOT NULL, told INTEGER NOT NULL,
     PRIMARY KEY (parent, child))`,
  'CREATE INDEX partings_untold ON partings (told) WHERE told = 0',
];

export type Parting = {
  parent: string;
  child: string;
  name: string;
  how: GoneChild['how'];
  at: number;
};

/** What parents are to know of children that are theirs no more. */
export class Partings {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** `owed`: the parent still counts on a result. Others are known when it asks for them. */
  note({ parent, child, name, how, at }: Parting, owed: boolean): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO partings (parent, child, name, how, at, told) VALUES (?, ?, ?, ?, ?, ?)',
      parent,
      child,
      name,
      how,
      at,
      owed ? 0 : 1,
    );
  }

  /** It is a child of this parent again. */
  undo(parent: string, child: string): void {
    this.#sql.run('DELETE FROM partings WHERE parent = ? AND child = ?', parent, child);
  }

  find(parent: string, child: string): Parting | null {
    const query = 'SELECT * FROM partings WHERE parent = ? AND child = ?';
    return first<Parting>(this.#sql, query, parent, child);
  }

  untold(): Parting[] {
    return this.#sql.all<Parting>(
      `SELECT partings.* FROM partings JOIN nodes ON nodes.id = partings.parent
       WHERE partings.told = 0 AND nodes.phase = 'ready' AND nodes.halt IS NOT 0 ORDER BY partings.at`,
    );
  }

  told(parent: string, child: string): void {
    this.#sql.run('UPDATE partings SET told = 1 WHERE parent = ? AND child = ?', parent, child);
  }

  forget(parent: string): void {
    this.#sql.run('DELETE FROM partings WHERE parent = ?', parent);
  }
}

/** The message by which a parent learns of it. */
export function partingMessage({ name, how }: Pick<Parting, 'name' | 'how'>): string {
  return how === 'deleted'
    ? `Your child ${name} was deleted by a person. No result of it will come.`
    : `Your child ${name} was moved away by a person, and is not your child any more. No result of it will come to you.`;
}
