import {
  type AgentConfig,
  DEFAULT_NETWORK,
  FilepathError,
  type NetworkConfig,
  parseAllowedHost,
  type SpawnCreate,
  type SystemBody,
  ThreadId,
} from '@filepath/protocol';
import type { SpawnNote } from '../thread/outbox.ts';
import { configOf, type NodeRow } from './node-row.ts';

/** A child that an agent asks for by the API. `key` is its own name for the request. */
export type SpawnWish = SpawnCreate;

/** The wish as the event that it stands for. */
export function wishNote(wish: SpawnWish, parent: NodeRow): SpawnNote {
  const { name, task, agent = parent.agent_type } = wish;
  const model = wish.model ?? (agent === parent.agent_type ? parent.model : '');
  // It is asked for now: after every stop that a person has taken back, before any other.
  return { seq: isStopped(parent) ? 0 : Number.MAX_SAFE_INTEGER, name, agent, model, task };
}

/** A stop was asked for, and its thread has told of no message since. */
function isStopped({ halt, thread_seq: seq, reason }: NodeRow): boolean {
  if (halt === null) return false;
  return halt === 0 || seq < halt || reason === 'stopping' || reason === 'stopped';
}

/** The configuration of a child with the network that its parent gives it: never more than the parent has. */
export function withWish(config: AgentConfig, wish: SpawnWish, parent: NodeRow): AgentConfig {
  const { network } = wish;
  if (network === undefined) return config;
  const own = configOf(parent).network ?? DEFAULT_NETWORK;
  if (isWider(network, own)) {
    throw new FilepathError(
      'conflict',
      `${wish.name} was not started: its network would reach further than yours (${own.policy}). Leave the network out, or ask a person.`,
    );
  }
  return { ...config, network };
}

const REACH = { none: 0, allowlist: 1, open: 2 } as const;

function isWider(network: NetworkConfig, own: NetworkConfig): boolean {
  if (REACH[network.policy] > REACH[own.policy]) return true;
  if (network.policy === 'none') return false;
  const allowed = new Set(own.allow);
  return (network.allow ?? []).some((entry) => {
    // Under `open` every host is reached, by the usual ports.
    const usual = own.policy === 'open' && parseAllowedHost(entry)?.port === null;
    return !usual && !allowed.has(entry);
  });
}

/** Characters of a task that its parent's log shows. */
const SHOWN = 4_000;

/** What the parent's log says of a child that was made. Without an event that asked for it, with all there is to show. */
export function spawnedBody(row: NodeRow): SystemBody {
  const made = { type: 'spawned' as const, node: ThreadId.parse(row.id), name: row.name };
  if (row.spawn_seq !== null) return { ...made, spawn: row.spawn_seq };
  const { agent_type: agent, model, task } = row;
  return { ...made, agent, model, ...(task === null ? {} : { task: task.slice(0, SHOWN) }) };
}
