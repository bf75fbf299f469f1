import type { Order } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { first, type Sql } from '../storage/sql.ts';
import { readValue } from '../storage/values.ts';
import { type OutboxItem, readOutbox, removeOutbox } from './outbox.ts';
import type { ThreadMeta } from './state.ts';

const BATCH = 50;

export type ThreadNote = Exclude<OutboxItem, { kind: 'order' }>;

/** Delivers what stands in the outbox, in order. A row goes when its receiver has it; what throws is tried again. */
export async function deliverOutbox(sql: Sql, env: Env): Promise<void> {
  const meta = readValue<ThreadMeta>(sql, 'meta');
  if (!meta) return;
  const session = env.SESSION.getByName(meta.session);
  const runner = env.RUNNER.getByName(meta.runner);
  for (;;) {
    const rows = readOutbox(sql, BATCH);
    if (rows.length === 0) return;
    for (const { id, item } of rows) {
      // A newer row may have taken the place of one that is being delivered.
      if (!first(sql, 'SELECT id FROM outbox WHERE id = ?', id)) continue;
      if (item.kind === 'order') await runner.order(orderKey(item.order), item.order);
      else await session.note(meta.thread, item);
      removeOutbox(sql, id);
    }
  }
}

/** The same order has the same key, however often it is delivered. */
function orderKey(order: Order): string {
  if (order.kind === 'remove') return `remove:${order.thread}`;
  if (order.kind === 'job') return `job:${order.id}`;
  const key = `${order.kind}:${order.thread}:${order.epoch}`;
  return order.kind === 'freeze' ? `${key}:${order.seq}` : key;
}
