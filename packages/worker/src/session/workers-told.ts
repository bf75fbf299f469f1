import { AgentState, type SystemWorkers, ThreadId } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';

/** What parents were told last of names and states of their children, as JSON. */
export const WORKERS_TABLE = 'CREATE TABLE workers_told (parent TEXT PRIMARY KEY, told TEXT NOT NULL)';

type Worker = SystemWorkers['workers'][number];
type Row = { parent: string; id: string; name: string; status: string; reason: string | null };

/** A parent that is to be told how its children are. */
export type Untold = { parent: string; told: string; body: SystemWorkers };

/** Keeps the logs of parents true about their children. Only the newest state is ever told. */
export class WorkersTold {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  untold(): Untold[] {
    const told = new Map(
      this.#sql
        .all<{ parent: string; told: string }>('SELECT parent, told FROM workers_told')
        .map((row) => [row.parent, row.told]),
    );
    const families = new Map<string, Worker[]>([...told.keys()].map((parent) => [parent, []]));
    for (const { parent, id, name, status, reason } of this.#rows()) {
      const family = families.get(parent) ?? [];
      families.set(parent, family);
      const worker = { id: ThreadId.parse(id), name, status: AgentState.parse(status) };
      family.push(reason === null ? worker : { ...worker, reason });
    }
    return [...families].flatMap(([parent, workers]) => {
      const now = JSON.stringify(workers.map(({ id, name, status }) => [id, name, status]));
      if (now === told.get(parent)) return [];
      return [{ parent, told: now, body: { type: 'workers' as const, workers } }];
    });
  }

  told({ parent, told }: Untold): void {
    this.#sql.run('INSERT OR REPLACE INTO workers_told (parent, told) VALUES (?, ?)', parent, told);
  }

  forget(parent: string): void {
    this.#sql.run('DELETE FROM workers_told WHERE parent = ?', parent);
  }

  #rows(): Row[] {
    return this.#sql.all<Row>(
      `SELECT node.parent_id AS parent, node.id AS id, node.name AS name, node.status AS status, node.reason AS reason
       FROM nodes AS node JOIN nodes AS parent ON parent.id = node.parent_id
       WHERE node.phase = 'ready' AND parent.phase = 'ready' ORDER BY node.rowid`,
    );
  }
}
