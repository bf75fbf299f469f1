import type { GatewayBody } from '@filepath/protocol';
import type { Sql } from '../../storage/sql.ts';

export type CallEvent = { id: number; key: string; body: GatewayBody };

const BATCH = 50;

/** What is still to be told to threads, stored with what it tells. A thread takes each key once. */
export class CallEvents {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  put(node: string, key: string, body: GatewayBody): void {
    this.#sql.run(
      'INSERT INTO call_events (node, key, body) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING',
      node,
      key,
      JSON.stringify(body),
    );
  }

  nodes(): string[] {
    return this.#sql
      .all<{ node: string }>('SELECT node FROM call_events GROUP BY node ORDER BY min(id)')
      .map(({ node }) => node);
  }

  /** The oldest of a node. */
  of(node: string): CallEvent[] {
    return this.#sql
      .all<{ id: number; key: string; body: string }>(
        'SELECT id, key, body FROM call_events WHERE node = ? ORDER BY id LIMIT ?',
        node,
        BATCH,
      )
      .map((row) => ({ ...row, body: JSON.parse(row.body) as GatewayBody }));
  }

  remove(node: string, upTo: number): void {
    this.#sql.run('DELETE FROM call_events WHERE node = ? AND id <= ?', node, upTo);
  }
}
