import { type AgentEntry, CATALOG, FilepathError } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { defaultModels } from '../gateway/models/list-models.ts';
import { LOCAL_RUNNER } from '../runner/local-runner.ts';

/** The agents that can be asked for now, and the model of one for which none is named. */
export type KnownAgents = {
  readonly entries: readonly AgentEntry[];
  modelOf(entry: AgentEntry): string;
};

export const BUILT_IN: KnownAgents = {
  entries: CATALOG,
  modelOf: ({ defaultModel }) => defaultModel,
};

/** filepath's agents and the operator's own, as the runner last told them. */
export async function knownAgents(env: Env): Promise<KnownAgents> {
  const [own, modelOf] = await Promise.all([
    env.RUNNER.getByName(LOCAL_RUNNER).ownAgents(),
    defaultModels(env),
  ]);
  return { entries: [...CATALOG, ...own], modelOf };
}

/** The entry of a type; a refusal that names the types there are. */
export function entryOf({ entries }: KnownAgents, type: string): AgentEntry {
  const entry = entries.find((one) => one.type === type);
  if (entry !== undefined) return entry;
  const known = entries.map((one) => one.type).join(', ');
  throw new FilepathError(
    'bad_request',
    `there is no agent type ${type.slice(0, 64)}; there are ${known}`,
    [{ path: 'agentType', reason: 'expected a type of the catalog' }],
  );
}
