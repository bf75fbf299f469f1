import { type AgentEntry, type ModelList, OFFLINE_MODEL } from '@filepath/protocol';
import { OWNER_ID } from '../../auth/sign-in-link.ts';
import type { Env } from '../../env.ts';
import { today } from '../directory/directory.ts';
import { type Background, knownModels, providersInForce } from '../memory.ts';
import { defaultModel, modelGroups } from './model-groups.ts';

/** How long a reader waits for the first list. A network may swallow what is sent. */
const PATIENCE_MS = 2500;
const patience = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));

/** The models as `GET /api/models` shows them. Until there is a list, its readers wait a moment for it. */
export async function listModels(
  env: Env,
  background: Background,
  userId: string,
): Promise<ModelList> {
  const providers = await providersInForce(env, background, userId);
  let known = await knownModels(env, providers);
  if (known.refreshed) {
    const refreshing = known.refreshed();
    background.waitUntil(refreshing);
    if (known.list.at === null) await Promise.race([refreshing, patience()]);
    known = await knownModels(env, providers);
  }
  const { list, stale } = known;
  const routing = { providers, today: today(), models: list.models };
  return {
    groups: modelGroups(routing),
    defaultModel: defaultModel(routing),
    configured: providers.length > 0,
    source: list.source,
    stale,
    ageSeconds: list.at === null ? null : Math.max(0, Math.round((Date.now() - list.at) / 1000)),
  };
}

/** Which model an agent gets that names none, by what is configured now. */
export async function defaultModels(
  env: Env,
  userId = OWNER_ID,
): Promise<(entry: Pick<AgentEntry, 'defaultModel' | 'metered'>) => string> {
  const providers = await providersInForce(env, IN_PASSING, userId);
  const { list } = await knownModels(env, providers);
  const routing = { providers, today: today(), models: list.models };
  return (entry) => defaultModel(routing, entry);
}

/** What is renewed beside this is renewed by the next call too. */
const IN_PASSING: Background = { waitUntil: () => undefined };

/** What an agent is told of `GET /v1/models`: those that answer here, in both makers' words. */
export async function agentModels(
  env: Env,
  background: Background,
  userId = OWNER_ID,
): Promise<Record<string, unknown>> {
  const { groups } = await listModels(env, background, userId);
  const data = groups
    .flatMap(({ provider, models }) => models.map((model) => ({ ...model, provider })))
    .filter(({ available }) => available)
    .map(({ id, name, provider, contextLength, maxOutput }) => ({
      id,
      object: 'model',
      type: 'model',
      display_name: name,
      owned_by: provider,
      created: 0,
      created_at: '1970-01-01T00:00:00Z',
      ...(contextLength === null ? {} : { context_length: contextLength }),
      ...(maxOutput === null ? {} : { max_output_tokens: maxOutput }),
    }));
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: data[0]?.id ?? OFFLINE_MODEL,
    last_id: data.at(-1)?.id ?? OFFLINE_MODEL,
  };
}
