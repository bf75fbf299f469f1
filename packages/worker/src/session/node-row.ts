import {
  AgentConfig,
  AgentState,
  type Budget,
  MASK,
  maskConfig,
  type Node,
  NodeConflict,
  NodeFailure,
  NodeWork,
  NodeOverlap,
  NodeWaiting,
  type SessionId,
  SnapshotSource,
  ThreadId,
} from '@filepath/protocol';
import type { Pause } from '../thread/pause.ts';
import { type Account, limitsOf } from './ledger/accounts.ts';
import { budgetOf } from './ledger/money.ts';
import { totalsOf } from './ledger/usage-row.ts';

export type NodeRow = {
  id: string;
  parent_id: string | null;
  name: string;
  slug: string;
  agent_type: string;
  model: string;
  config: string;
  api_key: string;
  status: string;
  reason: string | null;
  context_pct: number | null;
  done: number;
  total: number;
  sort_order: number;
  tokens: number;
  created_at: string;
  updated_at: string;
  change_seq: number;
  thread_seq: number;
  phase: string;
  stale: number;
  halt: number | null;
  task: string | null;
  spawn_parent: string | null;
  spawn_seq: number | null;
  spawn_key: string | null;
  snapshot: string | null;
  key_hash: string | null;
  blocked: string | null;
  blocked_at: string | null;
  failed: string | null;
  stopped: number;
  open: number;
  queue: number | null;
  limited: number;
  pause: string | null;
  held: string | null;
  held_by: string | null;
  told: string | null;
  overlaps: string | null;
  conflict: string | null;
  work: string | null;
  waiting: string | null;
  ended: number;
  rested: number;
};

/**
 * What a new node is to be. `spawn` is the seq of its parent's event, or its parent's own name for it, when an agent
 * asked for it.
 */
export type NodeSpec = {
  parent: string | null;
  name: string;
  agentType: string;
  model: string;
  config: string;
  task: string | null;
  spawn: number | string | null;
  snapshot: SnapshotSource | null;
  budget?: Budget;
};

/** The row of a node whose thread is still to be made. */
export function intentRow(
  spec: NodeSpec,
  given: {
    id: ThreadId;
    slug: string;
    apiKey: string;
    keyHash: string;
    sortOrder: number;
    at: string;
  },
): NodeRow {
  return {
    id: given.id,
    parent_id: spec.parent,
    name: spec.name,
    slug: given.slug,
    agent_type: spec.agentType,
    model: spec.model,
    config: spec.config,
    api_key: given.apiKey,
    status: 'idle',
    reason: null,
    context_pct: null,
    done: 0,
    total: 1,
    sort_order: given.sortOrder,
    tokens: 0,
    created_at: given.at,
    updated_at: given.at,
    change_seq: 0,
    thread_seq: 0,
    phase: 'intent',
    stale: 0,
    halt: null,
    task: spec.task,
    spawn_parent: spec.spawn === null ? null : spec.parent,
    spawn_seq: typeof spec.spawn === 'number' ? spec.spawn : null,
    spawn_key: typeof spec.spawn === 'string' ? spec.spawn : null,
    snapshot: spec.snapshot && JSON.stringify(spec.snapshot),
    key_hash: given.keyHash,
    blocked: null,
    blocked_at: null,
    failed: null,
    stopped: 0,
    open: 0,
    queue: null,
    limited: 0,
    pause: null,
    held: null,
    held_by: null,
    told: null,
    overlaps: null,
    conflict: null,
    work: null,
    waiting: null,
    ended: 0,
    rested: 0,
  };
}

/** The accounts of a node: of what it used itself, and of what it used with everything below it. */
export type NodeAccounts = { own: Account; subtree: Account };

/** A row as the API shows it: without its key, its configuration masked. */
export function toNode(session: SessionId, row: NodeRow, { own, subtree }: NodeAccounts): Node {
  return {
    id: ThreadId.parse(row.id),
    sessionId: session,
    parentId: row.parent_id === null ? null : ThreadId.parse(row.parent_id),
    name: row.name,
    slug: row.slug,
    agentType: row.agent_type,
    model: row.model,
    status: AgentState.parse(row.status),
    reason: row.reason,
    queue: row.queue,
    config: maskConfig(configOf(row)),
    sortOrder: row.sort_order,
    tokens: row.tokens,
    usage: totalsOf(own),
    subtree: totalsOf(subtree),
    budget: budgetOf(limitsOf(subtree)),
    ...blockedIn(row),
    contextPct: row.context_pct,
    done: row.done,
    total: row.total,
    ...(row.work === null ? {} : { work: NodeWork.parse(JSON.parse(row.work)) }),
    ...(row.overlaps === null ? {} : { overlaps: overlapsIn(row.overlaps) }),
    ...(row.conflict === null ? {} : { conflict: conflictIn(row.conflict) }),
    ...(row.failed === null ? {} : { failure: NodeFailure.parse(JSON.parse(row.failed)) }),
    ...(row.waiting === null ? {} : { waiting: NodeWaiting.parse(JSON.parse(row.waiting)) }),
    ...limitIn(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const overlapsIn = (text: string | null): NodeOverlap[] =>
  text === null ? [] : NodeOverlap.array().parse(JSON.parse(text));

export const conflictIn = (text: string): NodeConflict => NodeConflict.parse(JSON.parse(text));

/** What is stopped asks for no budget. */
function blockedIn({
  blocked,
  blocked_at: at,
  stopped,
}: NodeRow): Pick<Node, 'blocked' | 'blockedAt'> {
  if (blocked === null || stopped === 1) return { blocked: null };
  return { blocked, ...(at === null ? {} : { blockedAt: at }) };
}

export const waitingIn = (text: string | null): NodeWaiting | null =>
  text === null ? null : NodeWaiting.parse(JSON.parse(text));

/** A pause of its own that filepath made, until a provider's limit is over. */
function limitIn({ pause, limited }: NodeRow): Pick<Node, 'limit'> {
  if (pause === null) return {};
  const { by, reason, until } = JSON.parse(pause) as Pause;
  if (by !== 'system' || until === null) return {};
  return { limit: { reason: reason ?? 'limit', until, seq: limited } };
}

export function snapshotOf(row: NodeRow): SnapshotSource | null {
  return row.snapshot === null ? null : SnapshotSource.parse(JSON.parse(row.snapshot));
}

export function configOf(row: NodeRow): AgentConfig {
  return AgentConfig.parse(JSON.parse(row.config));
}

/** A configuration that a client read and sent back: a value that is still masked is the one there was. */
export function unmask(config: AgentConfig, before: AgentConfig): AgentConfig {
  if (!config.envVars) return config;
  const entries = Object.entries(config.envVars).map(([name, value]): [string, string] => [
    name,
    value === MASK ? (before.envVars?.[name] ?? value) : value,
  ]);
  return { ...config, envVars: Object.fromEntries(entries) };
}
