import { AgentState, completionOf, ThreadId } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { NodeRow } from './node-row.ts';

const LIVE = `phase IN ('intent', 'ready')`;

/** The tree's rows. */
export class NodeTable {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(id: string): NodeRow | null {
    return first<NodeRow>(this.#sql, `SELECT * FROM nodes WHERE id = ? AND ${LIVE}`, id);
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

  /** Live nodes right below this one. */
  childrenOf(id: string): NodeRow[] {
    return this.live().filter((row) => row.parent_id === id);
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
  beside({ id, parent_id }: NodeRow): NodeRow[] {
    return this.#sql.all<NodeRow>(
      `SELECT * FROM nodes WHERE ${LIVE} AND id != ? AND (parent_id IS ? OR id = ? OR parent_id = ?)`,
      id,
      parent_id,
      parent_id,
      id,
    );
  }

  /** A node and everything below it, parents first. */
  subtree(id: string): NodeRow[] {
    const rows = this.live();
    const out = rows.filter((row) => row.id === id);
    for (const row of out) out.push(...rows.filter((other) => other.parent_id === row.id));
    return out;
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
    this.#sql.run(
      `UPDATE nodes SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
      ...Object.values(change),
      id,
    );
  }

  /** Ids whose completion count is not the stored one any more, with the new count. */
  staleCounts(): { id: string; done: number; total: number }[] {
    const rows = this.live();
    const counts = completionOf(
      rows.map((row) => ({
        id: row.id,
        parentId: row.parent_id,
        status: AgentState.parse(row.status),
      })),
    );
    return rows.flatMap((row) => {
      const count = counts.get(row.id);
      if (!count || (count.done === row.done && count.total === row.total)) return [];
      return [{ id: row.id, ...count }];
    });
  }
}
