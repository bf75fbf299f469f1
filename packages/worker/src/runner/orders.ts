import { type ControlToRunner, Order } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';

const KEEP_TAKEN_MS = 7 * 24 * 3600 * 1000;

/** Orders for one runner: kept until it says that it has taken them. */
export class Orders {
  #sql: Sql;
  #now: () => number;

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  /** Stores an order; null when this order was given before. */
  add(key: string, order: Order): ControlToRunner | null {
    const [row] = this.#sql.all<{ id: number }>(
      'INSERT INTO orders (key, body, at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id',
      key,
      JSON.stringify(order),
      this.#now(),
    );
    return row ? { t: 'order', order: row.id, do: order } : null;
  }

  open(): ControlToRunner[] {
    return this.#sql
      .all<{ id: number; body: string }>(
        'SELECT id, body FROM orders WHERE body IS NOT NULL ORDER BY id',
      )
      .map(({ id, body }) => ({ t: 'order', order: id, do: Order.parse(JSON.parse(body)) }));
  }

  taken(id: number): void {
    this.#sql.run('UPDATE orders SET body = NULL WHERE id = ?', id);
    this.#sql.run('DELETE FROM orders WHERE body IS NULL AND at < ?', this.#now() - KEEP_TAKEN_MS);
  }
}
