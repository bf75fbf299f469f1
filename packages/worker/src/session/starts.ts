import { first, type Sql } from '../storage/sql.ts';
import type { WishNote } from '../thread/outbox.ts';

export const STARTS_TABLES: readonly string[] = [
  // A run of the node is open, as its thread last told; its place in line, as it is shown.
  'ALTER TABLE nodes ADD COLUMN open INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE nodes ADD COLUMN queue INTEGER',
  `UPDATE nodes SET open = 1 WHERE status IN ('thinking', 'running') OR reason = 'queued'`,
  'CREATE INDEX nodes_by_parent ON nodes (parent_id)',
  'CREATE INDEX nodes_open ON nodes (open) WHERE open = 1',
  'CREATE INDEX nodes_queue ON nodes (queue) WHERE queue IS NOT NULL',
  // The newest start that a thread wished for. state: waiting, going (let go, its thread does not know yet), over.
  `CREATE TABLE starts (
     thread TEXT PRIMARY KEY, epoch INTEGER NOT NULL, place INTEGER NOT NULL, state TEXT NOT NULL)`,
  'CREATE INDEX starts_by_state ON starts (state, place)',
];

export type Start = { thread: string; epoch: number };

/** Places are told exactly up to here, and beyond it rounded up to a multiple of it: few change when one goes. */
const EXACT = 50;

// The plus signs keep to the index by parent, thread or place: the others would read most of the tree.
const LIVE = `+nodes.phase IN ('intent', 'ready')`;
/** A stop that is still to be delivered ends the wish; one that is paused keeps its place. */
const MAY_GO = `${LIVE} AND nodes.halt IS NOT 0 AND nodes.held IS NULL`;
const HAS_OPEN_CHILD = `EXISTS (
  SELECT 1 FROM nodes AS child
  WHERE child.parent_id = nodes.id AND +child.open = 1 AND +child.phase IN ('intent', 'ready'))`;
const WAITS = `EXISTS (SELECT 1 FROM starts WHERE thread = nodes.id AND state = 'waiting')`;

/**
 * The line in which starts wait. A slot is taken by a node whose run is open, unless it waits for its children. A parent
 * may wait in a way that nobody sees: where such parents hold all slots one of the lowest nodes in line goes all the
 * same, so that a tree cannot block itself.
 */
export class Starts {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Takes a wish, or its end, once: an epoch that is known already changes nothing. Says whether the line changed. */
  wish(thread: string, { epoch, wants }: WishNote): boolean {
    const known = first<{ epoch: number; state: string }>(
      this.#sql,
      'SELECT epoch, state FROM starts WHERE thread = ?',
      thread,
    );
    if (known && (known.epoch > epoch || (known.epoch === epoch && wants))) return false;
    if (known?.epoch === epoch && known.state === 'over') return false;
    const last = first<{ place: number | null }>(
      this.#sql,
      'SELECT max(place) AS place FROM starts',
    );
    this.#sql.run(
      'INSERT OR REPLACE INTO starts (thread, epoch, place, state) VALUES (?, ?, ?, ?)',
      thread,
      epoch,
      (last?.place ?? 0) + 1,
      wants ? 'waiting' : 'over',
    );
    this.#sql.run('UPDATE nodes SET open = ? WHERE id = ?', wants ? 1 : 0, thread);
    return true;
  }

  /** The newest epoch that a thread wished for; 0 if it never did. */
  epochOf(thread: string): number {
    const query = 'SELECT epoch FROM starts WHERE thread = ?';
    return first<{ epoch: number }>(this.#sql, query, thread)?.epoch ?? 0;
  }

  get isEmpty(): boolean {
    return first(this.#sql, `SELECT 1 AS one FROM starts WHERE state = 'waiting' LIMIT 1`) === null;
  }

  /** Lets as many go as there are slots, in the order of the line. `waiting`: parents that wait for their children. */
  admit(slots: number, waiting: ReadonlySet<string>): void {
    if (this.isEmpty) return;
    // Its children may be waiting for a word of it.
    this.#let(`AND ${HAS_OPEN_CHILD}`, -1);
    const { leaves, parents } = this.working(waiting);
    const free = slots - leaves - parents;
    if (free > 0) this.#let('', free);
    else if (leaves === 0) this.#letLowest();
  }

  /** Slots that are taken: by nodes that have none at work or in line below them, and by those that have and are not known to wait. */
  working(waiting: ReadonlySet<string>): { leaves: number; parents: number } {
    const rows = this.#sql.all<{ id: string; above: number }>(
      `WITH RECURSIVE up (id) AS (
         SELECT parent_id FROM nodes WHERE open = 1 AND ${LIVE}
         UNION SELECT nodes.parent_id FROM up JOIN nodes ON nodes.id = up.id)
       SELECT id, id IN (SELECT id FROM up WHERE id IS NOT NULL) AS above FROM nodes
       WHERE open = 1 AND held IS NULL AND ${LIVE} AND NOT ${WAITS}`,
    );
    const parents = rows.filter(({ above }) => above === 1);
    return {
      leaves: rows.length - parents.length,
      parents: parents.filter(({ id }) => !waiting.has(id)).length,
    };
  }

  /** Nodes whose place in line is not the one that is shown, with the new one. */
  moved(): { id: string; queue: number | null }[] {
    const line = this.#sql.all<{ id: string; queue: number | null }>(
      `SELECT nodes.id AS id, nodes.queue AS queue FROM starts JOIN nodes ON nodes.id = starts.thread
       WHERE starts.state = 'waiting' AND ${MAY_GO} ORDER BY starts.place`,
    );
    const waiting = new Set(line.map(({ id }) => id));
    const gone = this.#sql
      .all<{ id: string }>(`SELECT id FROM nodes WHERE queue IS NOT NULL AND ${LIVE}`)
      .filter(({ id }) => !waiting.has(id))
      .map(({ id }) => ({ id, queue: null }));
    const moved = line
      .map(({ id, queue }, index) => ({ id, queue, now: shownPlace(index + 1) }))
      .filter(({ queue, now }) => queue !== now)
      .map(({ id, now }) => ({ id, queue: now }));
    return [...gone, ...moved];
  }

  /** What was let go and is still to be told to its thread; one that was paused meanwhile goes when it is resumed. */
  going(): Start[] {
    return this.#sql.all<Start>(
      `SELECT thread, epoch FROM starts JOIN nodes ON nodes.id = starts.thread
       WHERE starts.state = 'going' AND ${LIVE} AND nodes.held IS NULL AND nodes.told IS NULL
       ORDER BY starts.place`,
    );
  }

  /** The thread knows. */
  told({ thread, epoch }: Start): void {
    this.#sql.run(
      `UPDATE starts SET state = 'over' WHERE thread = ? AND epoch = ? AND state = 'going'`,
      thread,
      epoch,
    );
  }

  #let(which: string, limit: number): void {
    this.#sql.run(
      `UPDATE starts SET state = 'going' WHERE thread IN (
         SELECT starts.thread FROM starts JOIN nodes ON nodes.id = starts.thread
         WHERE starts.state = 'waiting' AND ${MAY_GO} ${which} ORDER BY starts.place LIMIT ?)`,
      limit,
    );
  }

  /** The lowest and not the next: so there is at most one beyond the slots on each level. */
  #letLowest(): void {
    this.#sql.run(
      `WITH RECURSIVE up (thread, place, above, depth) AS (
         SELECT starts.thread, starts.place, nodes.parent_id, 0
         FROM starts JOIN nodes ON nodes.id = starts.thread WHERE starts.state = 'waiting' AND ${MAY_GO}
         UNION ALL
         SELECT up.thread, up.place, nodes.parent_id, up.depth + 1 FROM up JOIN nodes ON nodes.id = up.above)
       UPDATE starts SET state = 'going'
       WHERE thread = (SELECT thread FROM up ORDER BY depth DESC, place LIMIT 1)`,
    );
  }
}

export function shownPlace(place: number): number {
  return place <= EXACT ? place : Math.ceil(place / EXACT) * EXACT;
}
