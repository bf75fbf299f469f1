import { AgentState, type SystemWorkers, ThreadId } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';

export const WORKERS_TABLES: readonly string[] = [
  // How often something of a parent's children has changed, and which of these changes it was told last.
  'CREATE TABLE workers_told (parent TEXT PRIMARY KEY, changes INTEGER NOT NULL, told INTEGER NOT NULL)',
  'CREATE INDEX workers_untold ON workers_told (parent) WHERE changes > told',
];

export type UntoldWorkers = { parent: string; changes: number };

type Row = { id: string; name: string; status: string; reason: string | null };

/** Keeps the logs of parents true about their children. Only the newest state is ever told. */
export class WorkersTold {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** To be called when a child of this parent has another name, status, phase or place. */
  changed(parent: string | null): void {
    if (parent === null) return;
    this.#sql.run(
      `INSERT INTO workers_told (parent, changes, told) VALUES (?, 1, 0)
       ON CONFLICT (parent) DO UPDATE SET changes = changes + 1`,
      parent,
    );
  }

  untold(): UntoldWorkers[] {
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
    this.#sql.run('UPDATE workers_told SET told = ? WHERE parent = ?', changes, parent);
  }

  forget(parent: string): void {
    this.#sql.run('DELETE FROM workers_told WHERE parent = ?', parent);
  }
}
