import type { GatewayBody } from '@filepath/protocol';
import type { Sql } from '../../storage/sql.ts';

export type CallEvent = { id: number; key: string; body: GatewayBody };

const BATCH = 50;

/**
 * What is still to be told to threads, stored with what it tells. A thread takes each key once, so that a row may
 * stay after it was told: it goes with the next one that is stored.
 */
export class CallEvents {
  #sql: Sql;
  /** What the table has and is not told, by node, oldest first; null: to be read anew. */
  #waiting: Map<string, CallEvent[]> | null = null;
  /** What was told, up to which id of a node, and is in the table all the same. */
  #told = new Map<string, number>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  put(node: string, key: string, body: GatewayBody): void {
    const waiting = this.#all();
    this.sweep();
    const [row] = this.#sql.all<{ id: number }>(
      'INSERT INTO call_events (node, key, body) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id',
      node,
      key,
      JSON.stringify(body),
    );
    if (row) waitFor(waiting, node, { id: row.id, key, body });
  }

  /** Those who are to be told something. */
  nodes(): string[] {
    return [...this.#all().keys()];
  }

  /** The oldest of a node. */
  of(node: string): CallEvent[] {
    return this.#all().get(node)?.slice(0, BATCH) ?? [];
  }

  told(node: string, upTo: number): void {
    const left = (this.#all().get(node) ?? []).filter(({ id }) => id > upTo);
    if (left.length > 0) this.#all().set(node, left);
    else this.#all().delete(node);
    this.#told.set(node, upTo);
  }

  /** Removes what was told. */
  sweep(): void {
    for (const [node, upTo] of this.#told) {
      this.#sql.run('DELETE FROM call_events WHERE node = ? AND id <= ?', node, upTo);
    }
    this.#told.clear();
  }

  /** What was stored since may not be: its transaction was rolled back. */
  reread(): void {
    this.#waiting = null;
  }

  #all(): Map<string, CallEvent[]> {
    if (this.#waiting) return this.#waiting;
    const waiting = new Map<string, CallEvent[]>();
    const rows = this.#sql.all<{ id: number; node: string; key: string; body: string }>(
      'SELECT id, node, key, body FROM call_events ORDER BY id',
    );
    for (const { id, node, key, body } of rows) {
      if (id <= (this.#told.get(node) ?? 0)) continue;
      waitFor(waiting, node, { id, key, body: JSON.parse(body) as GatewayBody });
    }
    this.#waiting = waiting;
    return waiting;
  }
}

function waitFor(waiting: Map<string, CallEvent[]>, node: string, event: CallEvent): void {
  const events = waiting.get(node);
  if (events) events.push(event);
  else waiting.set(node, [event]);
}
