import type { AgentState, Order } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';

/** What a thread tells others. Stored with the events that caused it, delivered after, in order, at least once. */
export type StatusNote = {
  seq: number;
  status: AgentState;
  reason: string | null;
  contextPct: number | null;
  stopped: boolean;
  /** A run is open. */
  open: boolean;
};
/** A start that the thread wants its session to let go, or wants no more. */
export type WishNote = { epoch: number; wants: boolean };
export type SpawnNote = {
  seq: number;
  name: string;
  agent: string;
  model: string;
  task: string | null;
};

export type OutboxItem =
  | { kind: 'status'; note: StatusNote }
  | { kind: 'spawn'; note: SpawnNote }
  | { kind: 'wish'; note: WishNote }
  | { kind: 'order'; order: Order };

/** The same key replaces what is still undelivered under it: only the newest status counts. */
export function putOutbox(sql: Sql, key: string, item: OutboxItem): void {
  sql.run('DELETE FROM outbox WHERE key = ?', key);
  sql.run(
    'INSERT INTO outbox (key, kind, payload) VALUES (?, ?, ?)',
    key,
    item.kind,
    JSON.stringify(item),
  );
}

export type OutboxRow = { id: number; key: string; item: OutboxItem };

export function readOutbox(sql: Sql, limit: number): OutboxRow[] {
  return sql
    .all<{ id: number; key: string; payload: string }>(
      'SELECT id, key, payload FROM outbox ORDER BY id LIMIT ?',
      limit,
    )
    .map(({ id, key, payload }) => ({ id, key, item: JSON.parse(payload) as OutboxItem }));
}

export function removeOutbox(sql: Sql, id: number): void {
  sql.run('DELETE FROM outbox WHERE id = ?', id);
}
