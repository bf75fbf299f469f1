import { type AgentConfig, type AgentEntry, FilepathError, LIMITS } from '@filepath/protocol';
import { entryOf, type KnownAgents } from '../catalog/known-agents.ts';
import type { SpawnNote } from '../thread/outbox.ts';
import { configOf, type NodeRow } from './node-row.ts';

/** Caps on a tree: a runaway agent ends at them. */
export const CAPS = { depth: 8, nodes: 100 } as const;

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
  { seq, name, agent, model, task }: SpawnNote,
  parent: NodeRow,
  known: KnownAgents,
): { agentType: string; model: string; config: AgentConfig } {
  if (parent.halt !== null && (parent.halt === 0 || seq <= parent.halt)) {
    throw new FilepathError('conflict', `${name} was not started: its parent is stopped`);
  }
  const entry = entryOf(known, agent);
  if (new TextEncoder().encode(task ?? '').length > LIMITS.message) {
    throw new FilepathError(
      'too_large',
      `${name} was not started: its task is longer than ${LIMITS.message} bytes`,
    );
  }
  const inherited = withNetwork(parent.agent_type === agent ? configOf(parent) : {}, parent);
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

export function checkCaps(depth: number, nodes: number): void {
  if (depth > CAPS.depth) {
    throw new FilepathError('cap_reached', `the tree is at most ${CAPS.depth} levels deep`);
  }
  if (nodes >= CAPS.nodes) {
    throw new FilepathError('cap_reached', `a session has at most ${CAPS.nodes} agents`);
  }
}
