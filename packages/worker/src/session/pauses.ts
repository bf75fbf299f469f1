import { FilepathError } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import type { Pause } from '../thread/pause.ts';
import type { NodeRow } from './node-row.ts';
import type { NodeTable } from './node-table.ts';

export const PAUSE_TABLES: readonly string[] = [
  // Its own pause; the pause that holds it, its own or one above; the pause that its thread knows of; who changed it last.
  'ALTER TABLE nodes ADD COLUMN pause TEXT',
  'ALTER TABLE nodes ADD COLUMN held TEXT',
  'ALTER TABLE nodes ADD COLUMN held_by TEXT',
  'ALTER TABLE nodes ADD COLUMN told TEXT',
  'CREATE INDEX nodes_pause ON nodes (id) WHERE pause IS NOT NULL',
  'CREATE INDEX nodes_untold ON nodes (id) WHERE held IS NOT told',
];

/** Which nodes are held still. A pause goes down the tree; a node that was paused by itself stays so when one above ends. */
export class Pauses {
  #sql: Sql;
  #nodes: NodeTable;

  constructor(sql: Sql, nodes: NodeTable) {
    this.#sql = sql;
    this.#nodes = nodes;
  }

  /** Gives each of these rows, parents first, the pause that holds it: its own, its parent's, or the session's. */
  spread(rows: readonly NodeRow[], session: Pause | null, by: Pause['by']): void {
    const above = session && JSON.stringify(session);
    const held = new Map<string, string | null>();
    for (const row of rows) {
      const now = row.pause ?? this.#above(row, held) ?? above;
      held.set(row.id, now);
      if (now !== row.held) this.#nodes.update(row.id, { held: now, held_by: by });
    }
  }

  /** Live nodes whose threads do not know yet that they are held, or are not any more. */
  untold(): NodeRow[] {
    return this.#sql.all<NodeRow>(
      `SELECT * FROM nodes WHERE held IS NOT told AND phase = 'ready' AND halt IS NOT 0`,
    );
  }

  told(id: string, held: string | null): void {
    this.#sql.run('UPDATE nodes SET told = ? WHERE id = ?', held, id);
  }

  /** Nodes whose own pause ends by itself at this time, or has. */
  over(now: number): string[] {
    return this.#timed()
      .filter(({ until }) => until <= now)
      .map(({ id }) => id);
  }

  next(): number | null {
    const times = this.#timed().map(({ until }) => until);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Why this node cannot be resumed: nothing, or not this one, is paused. */
  refusal(row: NodeRow): FilepathError {
    if (row.held === null) return new FilepathError('conflict', `${row.name} is not paused`);
    let above = this.#parentOf(row);
    while (above !== null && above.pause === null) above = this.#parentOf(above);
    const what = above === null ? 'its session' : above.name;
    return new FilepathError(
      'conflict',
      `${row.name} is paused since ${what} is: resume ${above === null ? 'the session' : what}`,
    );
  }

  #above(row: NodeRow, held: ReadonlyMap<string, string | null>): string | null {
    if (row.parent_id === null) return null;
    const known = held.get(row.parent_id);
    return known === undefined ? (this.#parentOf(row)?.held ?? null) : known;
  }

  #parentOf(row: NodeRow): NodeRow | null {
    return row.parent_id === null ? null : this.#nodes.find(row.parent_id);
  }

  #timed(): { id: string; until: number }[] {
    return this.#sql
      .all<{ id: string; until: string | null }>(
        `SELECT id, pause ->> 'until' AS until FROM nodes WHERE pause IS NOT NULL AND phase IN ('intent', 'ready')`,
      )
      .flatMap(({ id, until }) => (until === null ? [] : [{ id, until: Date.parse(until) }]));
  }
}
