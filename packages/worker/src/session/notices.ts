import { SystemBody } from '@filepath/protocol';
import type { Env } from '../env.ts';
import type { Result } from '../result.ts';
import type { Sql } from '../storage/sql.ts';

export const NOTICES_TABLE =
  // What threads are still to be told. `body`: an event of the system, with words for a process that runs; null: a task in
  // words, or, where the key says so, words for a process that runs.
  `CREATE TABLE notices (
     key TEXT PRIMARY KEY, thread TEXT NOT NULL, body TEXT, words TEXT)`;

const WORDS = 'words:';

export type Notice = { key: string; thread: string; body: string | null; words: string | null };

/** What the session tells threads. Each is told once by its key, however often it is delivered. */
export class Notices {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** In the caller's transaction. */
  event(thread: string, key: string, body: SystemBody, words: string | null = null): void {
    this.#add({ key, thread, body: JSON.stringify(body), words });
  }

  task(thread: string, key: string, words: string): void {
    this.#add({ key, thread, body: null, words });
  }

  /** For a process that runs, and for the log only then. */
  words(thread: string, key: string, words: string): void {
    this.#add({ key: `${WORDS}${key}`, thread, body: null, words });
  }

  waiting(): Notice[] {
    return this.#sql.all<Notice>('SELECT key, thread, body, words FROM notices ORDER BY rowid');
  }

  /**
   * Says where the thread has it in its log; null: one that is gone, or takes no task now, is not asked for ever. `from`:
   * who gives a task.
   */
  async deliver(env: Env, notice: Notice, from: 'user' | 'parent'): Promise<number | null> {
    const { key, thread, body, words } = notice;
    const object = env.THREAD.getByName(thread);
    const result: Result<{ seq: number }> = isTask(notice)
      ? await object.message(null, from, words ?? '', key)
      : await object.notice(body === null ? null : SystemBody.parse(JSON.parse(body)), key, words);
    this.#sql.run('DELETE FROM notices WHERE key = ?', key);
    return result.ok ? result.value.seq : null;
  }

  #add({ key, thread, body, words }: Notice): void {
    this.#sql.run(
      'INSERT OR IGNORE INTO notices (key, thread, body, words) VALUES (?, ?, ?, ?)',
      key,
      thread,
      body,
      words,
    );
  }
}

export const isTask = ({ key, body }: Notice): boolean => body === null && !key.startsWith(WORDS);
