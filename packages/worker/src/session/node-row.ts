import {
  AgentConfig,
  AgentState,
  AgentType,
  MASK,
  maskConfig,
  type Node,
  type SessionId,
  ThreadId,
} from '@filepath/protocol';

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
};

/** A row as the API shows it: without its key, its configuration masked. */
export function toNode(session: SessionId, row: NodeRow): Node {
  return {
    id: ThreadId.parse(row.id),
    sessionId: session,
    parentId: row.parent_id === null ? null : ThreadId.parse(row.parent_id),
    name: row.name,
    slug: row.slug,
    agentType: AgentType.parse(row.agent_type),
    model: row.model,
    status: AgentState.parse(row.status),
    reason: row.reason,
    config: maskConfig(configOf(row)),
    sortOrder: row.sort_order,
    tokens: row.tokens,
    contextPct: row.context_pct,
    done: row.done,
    total: row.total,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
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
