import { AgentState, type SystemWorkers, ThreadId } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';

export const WORKERS_TABLES: readonly string[] = [
  // How often something of a parent's children has changed, and which of these changes it was told last.
  'CREATE TABLE workers_told (parent TEXT PRIMARY KEY, changes INTEGER NOT NULL, told INTEGER NOT NULL)',
  'CREATE INDEX workers_untold ON workers_told (parent) WHERE changes > told',
];

export type UntoldWorkers = { parent: string; changes: number };

/** A parent is told at most once in so long, of the last state always: each time its log gets all of its children. */
const APART_MS = 1_000;

/** What counts as the same for a parent's log: an agent at work goes to and fro between the two. */
export const shownStatus = (status: string): string => (status === 'thinking' ? 'running' : status);

type Row = { id: string; name: string; status: string; reason: string | null };

/** Keeps the logs of parents true about their children. Only the newest state is ever told. */
export class WorkersTold {
  #sql: Sql;
  #now: () => number;
  /** When parents were told last, since this object began. */
  #last = new Map<string, number>();

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  /** To be called when a child of this parent has another name, status, reason, phase or place. */
  changed(parent: string | null): void {
    if (parent === null) return;
    this.#sql.run(
      `INSERT INTO workers_told (parent, changes, told) VALUES (?, 1, 0)
       ON CONFLICT (parent) DO UPDATE SET changes = changes + 1`,
      parent,
    );
  }

  /** Parents that may be told now. */
  untold(): UntoldWorkers[] {
    return this.#untold().filter(({ parent }) => this.#dueAt(parent) <= this.#now());
  }

  /** When the next of the others may be told. */
  next(): number | null {
    const times = this.#untold().map(({ parent }) => this.#dueAt(parent));
    return times.length === 0 ? null : Math.min(...times);
  }

  #dueAt(parent: string): number {
    return (this.#last.get(parent) ?? -APART_MS) + APART_MS;
  }

  #untold(): UntoldWorkers[] {
    return this.#sql.all<UntoldWorkers>(
      `SELECT parent, changes FROM workers_told JOIN nodes ON nodes.id = parent
       WHERE workers_told.changes > workers_told.told AND nodes.phase = 'ready'`,
    );
  }

  /** The children as they are now. */
  of(parent: string): SystemWorkers {
    const rows = this.#sql.all<Row>(
      `SELECT id, name, status, reason FROM nodes WHERE parent_id = ? AND phase = 'ready' ORDER BY sort_order, rowid`,
      parent,
    );
    const workers = rows.map(({ id, name, status, reason }) => ({
      id: ThreadId.parse(id),
      name,
      status: AgentState.parse(status),
      ...(reason === null ? {} : { reason }),
    }));
    return { type: 'workers', workers };
  }

  /** What has changed meanwhile is still to be told. */
  told({ parent, changes }: UntoldWorkers): void {
    this.#last.set(parent, this.#now());
    this.#sql.run('UPDATE workers_told SET told = ? WHERE parent = ?', changes, parent);
  }

  forget(parent: string): void {
    this.#last.delete(parent);
    this.#sql.run('DELETE FROM workers_told WHERE parent = ?', parent);
  }
}
