import { first, type Sql } from './sql.ts';

export const ALARMS_TABLE =
  'CREATE TABLE alarms (name TEXT PRIMARY KEY, at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0)';

type SetAlarm = (at: number | null) => void;
type Handler = () => Promise<void>;
type Report = (name: string, error: unknown) => void;

/**
 * The one alarm of an object, shared by name. A handler that fails is tried again, later each time; it never stops
 * the others, and never lets the object's alarm run out.
 */
export class Alarms {
  #sql: Sql;
  #set: SetAlarm;
  #now: () => number;
  #report: Report;
  /** Handlers that run, with the time that they have set for themselves: it holds when they have ended. */
  #running = new Map<string, number | null>();

  constructor(sql: Sql, set: SetAlarm, now: () => number, report: Report) {
    this.#sql = sql;
    this.#set = set;
    this.#now = now;
    this.#report = report;
  }

  /** Keeps an earlier time that is already set under this name. */
  schedule(name: string, at: number): void {
    const own = this.#running.get(name);
    if (own !== undefined) {
      this.#running.set(name, Math.min(own ?? at, at));
      return;
    }
    this.#sql.run(
      `INSERT INTO alarms (name, at) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET at = min(at, excluded.at)`,
      name,
      at,
    );
    this.#arm();
  }

  cancel(name: string): void {
    if (this.#running.has(name)) this.#running.set(name, null);
    this.#sql.run('DELETE FROM alarms WHERE name = ?', name);
    this.#arm();
  }

  async run(handlers: Readonly<Record<string, Handler>>): Promise<void> {
    const due = this.#sql.all<{ name: string; at: number; attempts: number }>(
      'SELECT name, at, attempts FROM alarms WHERE at <= ? ORDER BY at',
      this.#now(),
    );
    for (const { name, attempts } of due) {
      this.#running.set(name, null);
      try {
        await handlers[name]?.();
        const next = this.#running.get(name) ?? null;
        this.#sql.run('DELETE FROM alarms WHERE name = ?', name);
        if (next !== null) this.#sql.run('INSERT INTO alarms (name, at) VALUES (?, ?)', name, next);
      } catch (error) {
        this.#report(name, error);
        const delay = Math.min(60_000, 1000 * 2 ** Math.min(attempts, 6));
        const next = Math.min(this.#now() + delay, this.#running.get(name) ?? Infinity);
        // It may have cancelled itself before it failed.
        this.#sql.run(
          'INSERT OR REPLACE INTO alarms (name, at, attempts) VALUES (?, ?, ?)',
          name,
          next,
          attempts + 1,
        );
      } finally {
        this.#running.delete(name);
      }
    }
    this.#arm();
  }

  #arm(): void {
    const next = first<{ at: number }>(this.#sql, 'SELECT at FROM alarms ORDER BY at LIMIT 1');
    this.#set(next?.at ?? null);
  }
}
