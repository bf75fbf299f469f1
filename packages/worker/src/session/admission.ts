import type { AgentConfig, AgentType} from '@filepath/protocol';
import { FilepathError } from '@filepath/protocol';

/** Caps on a tree: a runaway agent ends at them. */
export const CAPS = { depth: 8, nodes: 100 } as const;

/** Agent types that this version runs. */
const RUNNABLE: ReadonlySet<AgentType> = new Set(['custom']);

/** The configuration under which a node may exist; a clear refusal otherwise. */
export function admit(agentType: AgentType, config: AgentConfig): AgentConfig {
  if (!RUNNABLE.has(agentType)) {
    throw new FilepathError(
      'conflict',
      `${agentType} agents are not part of this version: use custom with a command`,
    );
  }
  if (config.image !== undefined || config.dockerfile !== undefined) {
    throw new FilepathError(
      'conflict',
      'container agents are not part of this version: give config.command instead',
    );
  }
  if (config.command === undefined) {
    throw new FilepathError('bad_request', 'a custom agent needs config.command', [
      { path: 'config.command', reason: 'expected the program and its arguments' },
    ]);
  }
  return config;
}

export function checkCaps(depth: number, nodes: number): void {
  if (depth > CAPS.depth) {
    throw new FilepathError('cap_reached', `the tree is at most ${CAPS.depth} levels deep`);
  }
  if (nodes >= CAPS.nodes) {
    throw new FilepathError('cap_reached', `a session has at most ${CAPS.nodes} agents`);
  }
}
