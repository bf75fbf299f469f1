import type {
  AgentState,
  Budget,
  JobResult,
  MemoryScope,
  NetworkConfig,
  Order,
  RunOutcome,
  Touched,
} from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import type { AskedNote } from './asked.ts';
import type { Failed } from './state.ts';

/** What a thread tells others. Stored with the events that caused it, delivered after, in order, at least once. */
export type StatusNote = {
  seq: number;
  status: AgentState;
  reason: string | null;
  contextPct: number | null;
  stopped: boolean;
  /** A run is open. */
  open: boolean;
  /** By what it failed; notes from before there was this have none. */
  failed?: Failed | undefined;
};
/** A start that the thread wants its session to let go, or wants no more. */
export type WishNote = { epoch: number; wants: boolean };
/** How a merge of this node's work ended. */
export type MergeNote = Extract<JobResult, { type: 'merged' | 'conflict' }>;
/** A provider's limit that holds the agent up. */
export type LimitNote = { seq: number; reason: string; until: string };
export type SpawnNote = {
  seq: number;
  name: string;
  agent: string;
  model: string;
  task: string | null;
  budget?: Budget;
  network?: NetworkConfig;
};

export type MemoryNote = {
  seq: number;
  content: string;
  scope: MemoryScope | null;
  tags: string[];
};

/** How a run ended, for the agent's parent. */
export type ResultNote = {
  /** Of the event that ended it. */
  seq: number;
  outcome: RunOutcome;
  reason: string | null;
  /** What the agent said last, bounded. */
  words: string | null;
};

export type OutboxItem =
  | { kind: 'status'; note: StatusNote }
  | { kind: 'spawn'; note: SpawnNote }
  | { kind: 'wish'; note: WishNote }
  | { kind: 'asked'; note: AskedNote }
  | { kind: 'touched'; note: Touched }
  | { kind: 'merge'; note: MergeNote }
  | { kind: 'merge_failed'; note: { job: string } }
  | { kind: 'result'; note: ResultNote }
  | { kind: 'limit'; note: LimitNote }
  | { kind: 'memory'; note: MemoryNote }
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
