import { type AgentConfig, type AgentEntry, FilepathError, LIMITS } from '@filepath/protocol';
import { entryOf, type KnownAgents } from '../catalog/known-agents.ts';
import type { SpawnNote } from '../thread/outbox.ts';
import type { Caps } from './caps.ts';
import { isWithin } from './network-within.ts';
import { configOf, type NodeRow } from './node-row.ts';

/** A tree shows the configuration of every node, and children have their parent's. */
const MAX_CONFIG = 128 * 1024;

/** The configuration under which a node may exist; a clear refusal otherwise. */
export function admit(known: KnownAgents, agentType: string, config: AgentConfig): AgentConfig {
  const { driver, name } = entryOf(known, agentType);
  if (config.image !== undefined && config.dockerfile !== undefined) {
    throw new FilepathError('bad_request', 'an agent has an image or a Dockerfile, not both', [
      { path: 'config.dockerfile', reason: 'expected nothing beside config.image' },
    ]);
  }
  if (driver.kind !== 'custom' && config.command !== undefined) {
    throw new FilepathError(
      'bad_request',
      `${name} has its own command: leave config.command out`,
      [{ path: 'config.command', reason: 'expected nothing: it is for custom agents' }],
    );
  }
  if (
    driver.kind === 'custom' &&
    (driver.command ?? config.command ?? config.image ?? config.dockerfile) === undefined
  ) {
    throw new FilepathError(
      'bad_request',
      'a custom agent needs config.command, config.image or config.dockerfile',
      [{ path: 'config.command', reason: 'expected the program and its arguments' }],
    );
  }
  if (JSON.stringify(config).length > MAX_CONFIG) {
    throw new FilepathError(
      'too_large',
      `the configuration is larger than ${MAX_CONFIG} characters: put what is long into files`,
    );
  }
  return config;
}

/** The child that an agent asked for. One of its parent's type has its parent's configuration, and tells by its task. */
export function admitSpawn(
  { seq, agent, model, task, network }: SpawnNote,
  parent: NodeRow,
  known: KnownAgents,
): { agentType: string; model: string; config: AgentConfig } {
  if (parent.halt !== null && (parent.halt === 0 || seq <= parent.halt)) {
    throw new FilepathError('conflict', 'its parent is stopped');
  }
  const entry = entryOf(known, agent);
  if (new TextEncoder().encode(task ?? '').length > LIMITS.message) {
    throw new FilepathError(
      'too_large',
      `its task is longer than ${LIMITS.message} bytes: put what is long into a file of the workspace`,
    );
  }
  const { driver } = entry;
  if (driver.kind === 'custom' && driver.command === undefined && parent.agent_type !== agent) {
    throw new FilepathError(
      'bad_request',
      `an agent of the kind ${agent} runs what its parent runs, and its parent is of another kind: choose that one, or any other`,
    );
  }
  const above = configOf(parent);
  if (network && !isWithin(network, above.network)) {
    throw new FilepathError(
      'conflict',
      `its network would reach more than its parent's (${above.network?.policy ?? 'allowlist'}): leave network out, or ask a person to allow it`,
    );
  }
  // An agent that has to ask a person cannot pass that by with a child of another kind.
  const { permissions } = above;
  const own = parent.agent_type === agent ? above : { ...(permissions && { permissions }) };
  const inherited = withNetwork(network ? { ...own, network } : own, parent);
  return {
    agentType: agent,
    model: model.slice(0, 200) || known.modelOf(entry),
    config: admit(known, agent, inherited),
  };
}

/** A child that names no network policy of its own has its parent's. */
export function withNetwork(config: AgentConfig, parent: NodeRow | null): AgentConfig {
  const network = config.network ?? (parent === null ? undefined : configOf(parent).network);
  return network === undefined ? config : { ...config, network };
}

/** An agent whose calls nobody meters would spend past a budget in money. */
export function checkMetered(
  agentType: string,
  config: AgentConfig,
  limited: boolean,
  entries: readonly AgentEntry[],
): void {
  if (!limited || config.allowUnmetered || !isUnmetered(agentType, entries)) return;
  throw new FilepathError(
    'conflict',
    `the calls of ${agentType} to models do not pass the gateway, so that a budget in money cannot hold: choose another agent, or allow it with config.allowUnmetered`,
  );
}

export function isUnmetered(agentType: string, entries: readonly AgentEntry[]): boolean {
  return entries.some((entry) => entry.type === agentType && !entry.metered);
}

/** Where a new node would stand: its level, and how many there are beside it and in all. */
export type Place = { depth: number; siblings: number; agents: number };

/** The words say which cap it is and what can be done: an agent reads them too. */
export function checkCaps(caps: Caps, { depth, siblings, agents }: Place): void {
  if (depth > caps.depth) {
    throw new FilepathError(
      'cap_reached',
      `the tree is at most ${caps.depth} levels deep: do the work here, or give it to an agent further up`,
    );
  }
  if (siblings >= caps.children) {
    throw new FilepathError(
      'cap_reached',
      `an agent has at most ${caps.children} children: give the work to one of them, or ask a person to delete one that is done`,
    );
  }
  if (agents >= caps.agents) {
    throw new FilepathError(
      'cap_reached',
      `a session has at most ${caps.agents} agents: use one that is there, or ask a person to delete some that are done`,
    );
  }
}
