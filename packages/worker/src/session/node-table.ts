import { ThreadId } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { NodeRow } from './node-row.ts';

// The plus sign keeps to the other index of a query: most nodes are live.
const LIVE = `+phase IN ('intent', 'ready')`;

/** What follows from these is kept in `#holders`. */
const HELD: ReadonlySet<string> = new Set(['phase', 'key_hash', 'blocked']);

/** What the gateway asks of a node with each of its calls. */
export type Holder = { id: string; key_hash: string | null; blocked: string | null };

/** The tree's rows. */
export class NodeTable {
  #sql: Sql;
  /** Of nodes that called lately: until a node changes, what is asked of it is the same. */
  #holders = new Map<string, Holder>();
  /** Whoever was told what a holder may do is told that it is no longer so. */
  #revoke: () => void;

  constructor(sql: Sql, revoke: () => void) {
    this.#sql = sql;
    this.#revoke = revoke;
  }

  find(id: string): NodeRow | null {
    return first<NodeRow>(this.#sql, `SELECT * FROM nodes WHERE id = ? AND ${LIVE}`, id);
  }

  holder(id: string): Holder | null {
    const known = this.#holders.get(id);
    if (known) return known;
    const query = `SELECT id, key_hash, blocked FROM nodes WHERE id = ? AND ${LIVE}`;
    const row = first<Holder>(this.#sql, query, id);
    if (row) this.#holders.set(id, row);
    return row;
  }

  spawnedBy(parent: string, seq: number): NodeRow | null {
    return first<NodeRow>(
      this.#sql,
      'SELECT * FROM nodes WHERE spawn_parent = ? AND spawn_seq = ?',
      parent,
      seq,
    );
  }

  /** By its parent's own name for it, though it may be deleted since. */
  spawnedAs(parent: string, key: string): NodeRow | null {
    return first<NodeRow>(
      this.#sql,
      'SELECT * FROM nodes WHERE spawn_parent = ? AND spawn_key = ?',
      parent,
      key,
    );
  }

  live(): NodeRow[] {
    return this.#sql.all<NodeRow>(`SELECT * FROM nodes WHERE ${LIVE} ORDER BY rowid`);
  }

  changedAfter(seq: number, limit: number): NodeRow[] {
    return this.#sql.all<NodeRow>(
      'SELECT * FROM nodes WHERE change_seq > ? ORDER BY change_seq LIMIT ?',
      seq,
      limit,
    );
  }

  inPhase(phase: string): NodeRow[] {
    return this.#sql.all<NodeRow>('SELECT * FROM nodes WHERE phase = ? ORDER BY sort_order', phase);
  }

  /** Ids of nodes that are deleted. */
  gone(): ThreadId[] {
    return this.#sql
      .all<{ id: string }>(`SELECT id FROM nodes WHERE phase IN ('deleting', 'deleted')`)
      .map((row) => ThreadId.parse(row.id));
  }

  /** Live nodes whose newest configuration is not delivered. */
  toConfigure(): NodeRow[] {
    return this.#sql.all<NodeRow>(`SELECT * FROM nodes WHERE stale = 1 AND phase = 'ready'`);
  }

  /** Live nodes whose stop is not delivered. */
  toHalt(): NodeRow[] {
    return this.#sql.all<NodeRow>(`SELECT * FROM nodes WHERE halt = 0 AND phase = 'ready'`);
  }

  /** Keys that were stored before their hashes were: the hash stays, the key where its thread still needs it. */
  hashKeys(keyHash: (key: string) => string): void {
    const rows = this.#sql.all<{ id: string; api_key: string; phase: string }>(
      `SELECT id, api_key, phase FROM nodes WHERE key_hash IS NULL AND api_key != ''`,
    );
    for (const { id, api_key, phase } of rows) {
      const kept = phase === 'intent' ? api_key : '';
      this.update(id, { key_hash: keyHash(api_key), api_key: kept });
    }
  }

  depthOf(id: string | null): number {
    let depth = 0;
    for (let at = id; at !== null; depth += 1) at = this.find(at)?.parent_id ?? null;
    return depth;
  }

  /** Its parent, its siblings and its children. */
  neighbours({ id, parent_id }: NodeRow): NodeRow[] {
    return this.#sql.all<NodeRow>(
      `SELECT * FROM nodes WHERE ${LIVE} AND id != ? AND (parent_id IS ? OR id = ? OR parent_id = ?)`,
      id,
      parent_id,
      parent_id,
      id,
    );
  }

  /** A node and everything below it, parents first; all of the tree without one. */
  subtree(id: string | null): NodeRow[] {
    const top = id === null ? 'parent_id IS NULL' : 'id = ?';
    return this.#sql.all<NodeRow>(
      `WITH RECURSIVE down (id, depth) AS (
         SELECT id, 0 FROM nodes WHERE ${top} AND ${LIVE}
         UNION ALL SELECT nodes.id, depth + 1 FROM nodes JOIN down ON nodes.parent_id = down.id WHERE +nodes.phase IN ('intent', 'ready'))
       SELECT nodes.* FROM down JOIN nodes ON nodes.id = down.id ORDER BY down.depth, nodes.rowid`,
      ...(id === null ? [] : [id]),
    );
  }

  count(): number {
    return (
      first<{ n: number }>(
        this.#sql,
        `SELECT count(*) AS n FROM nodes WHERE phase IN ('intent', 'ready')`,
      )?.n ?? 0
    );
  }

  firstRoot(): string | null {
    const row = first<{ id: string }>(
      this.#sql,
      `SELECT id FROM nodes WHERE parent_id IS NULL AND ${LIVE} ORDER BY sort_order, rowid LIMIT 1`,
    );
    return row?.id ?? null;
  }

  /** How many roots there are, and how many of them are held still, stopped or failed. */
  roots(): { n: number; held: number; stopped: number; failed: number } {
    const row = first<{ n: number; held: number; stopped: number; failed: number }>(
      this.#sql,
      `SELECT count(*) AS n, total(held IS NOT NULL) AS held, total(reason = 'stopped') AS stopped,
         total(status = 'error') AS failed FROM nodes WHERE parent_id IS NULL AND ${LIVE}`,
    );
    return row ?? { n: 0, held: 0, stopped: 0, failed: 0 };
  }

  /** Children of a node, or the roots: how many, and the highest place among them. */
  beside(parent: string | null): { n: number; last: number } {
    const row = first<{ n: number; last: number }>(
      this.#sql,
      `SELECT count(*) AS n, coalesce(max(sort_order), -1) AS last FROM nodes WHERE parent_id IS ? AND ${LIVE}`,
      parent,
    );
    return row ?? { n: 0, last: -1 };
  }

  /** Children of a node, or the roots, in their order. */
  childrenOf(parent: string | null): NodeRow[] {
    return this.#sql.all<NodeRow>(
      `SELECT * FROM nodes WHERE parent_id IS ? AND ${LIVE} ORDER BY sort_order, rowid`,
      parent,
    );
  }

  insert(row: NodeRow): void {
    const columns = Object.keys(row);
    this.#sql.run(
      `INSERT INTO nodes (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...Object.values(row),
    );
  }

  update(id: string, change: Partial<NodeRow>): void {
    const columns = Object.keys(change);
    if (columns.some((column) => HELD.has(column))) {
      this.#holders.delete(id);
      this.#revoke();
    }
    this.#sql.run(
      `UPDATE nodes SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
      ...Object.values(change),
      id,
    );
  }

  /** Those of these that were refused have another chance; null: of all of them. Answers with their ids. */
  unblock(ids: readonly string[] | null): string[] {
    this.#holders.clear();
    const among = ids === null ? '' : 'AND id IN (SELECT value FROM json_each(?))';
    const bound = ids === null ? [] : [JSON.stringify(ids)];
    return this.#sql
      .all<{ id: string }>(
        `UPDATE nodes SET blocked = NULL WHERE blocked IS NOT NULL ${among} RETURNING id`,
        ...bound,
      )
      .map(({ id }) => id);
  }

  /** The completion count of a node: over its children, or its own where it has none. */
  completion(row: NodeRow): { done: number; total: number } {
    const below = first<{ n: number; done: number; total: number }>(
      this.#sql,
      `SELECT count(*) AS n, sum(done) AS done, sum(total) AS total FROM nodes WHERE parent_id = ? AND ${LIVE}`,
      row.id,
    );
    if (below && below.n > 0) return { done: below.done, total: below.total };
    return { done: row.status === 'done' ? 1 : 0, total: 1 };
  }

  /** Whether a node is at work that nobody holds still, and whether one is that somebody does. */
  atWork(): { free: boolean; held: boolean } {
    const any = (held: string): boolean =>
      first(
        this.#sql,
        `SELECT 1 AS one FROM nodes WHERE open = 1 AND ${held} AND ${LIVE}
         UNION ALL SELECT 1 FROM nodes WHERE status IN ('running', 'thinking') AND ${held} AND ${LIVE}
         UNION ALL SELECT 1 FROM nodes
           WHERE status IN ('idle', 'done', 'error') AND reason IN ('queued', 'stopping') AND ${held} AND ${LIVE}
         LIMIT 1`,
      ) !== null;
    return { free: any('held IS NULL'), held: any('held IS NOT NULL') };
  }
}
