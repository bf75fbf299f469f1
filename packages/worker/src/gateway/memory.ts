import { learnSecrets } from '../auth/known-secrets.ts';
import { redact, secretsOf } from '../auth/redact.ts';
import { OWNER_ID } from '../auth/sign-in-link.ts';
import type { Env } from '../env.ts';
import { log } from '../http/log.ts';
import { ModelCache, type Models } from './models/model-cache.ts';
import { baseUrlOf, providersOfEnv } from './providers/environment.ts';
import { inForce, KnownProviders } from './providers/known-providers.ts';
import { type ProviderConfig, secretsOfProvider } from './providers/provider.ts';
import { readProviders, type StoredProvider } from './providers/provider-table.ts';
import { urlOf } from './providers/upstream.ts';

/** Of this isolate: what its requests have read of providers and models. */
const providers = new KnownProviders();
let models: ModelCache | null = null;

export type Background = { waitUntil(work: Promise<unknown>): void };

/** The providers of a user's settings, whether they can be used or not. */
export function storedProviders(
  env: Env,
  background: Background,
  userId: string,
): Promise<readonly StoredProvider[]> {
  return providers.of(userId, {
    now: Date.now,
    later: (work) => background.waitUntil(work),
    read: async (id) => {
      const stored = await readProviders(env, id);
      learnSecrets(stored.flatMap(({ config }) => secretsOfProvider(config)));
      return stored;
    },
  });
}

let learnt = false;
export const secretsAreLearnt = (): boolean => learnt;

/**
 * Reads the keys that no text may show, once for the isolate. A database that is away stops nothing: keys of
 * providers never enter a sandbox, so that an agent can only repeat what a person told it.
 */
export async function learnSecretsOfProviders(env: Env, background: Background): Promise<void> {
  try {
    await storedProviders(env, background, OWNER_ID);
    learnt = true;
  } catch (error) {
    log('warn', 'providers not read', { error: redact(String(error), secretsOf(env)) });
  }
}

/** After a change: what the next request asks for is read anew. */
export function forgetProviders(userId: string): void {
  providers.forget(userId);
}

/** The environment is the owner's. */
export const environmentOf = (env: Env, userId: string): ProviderConfig[] =>
  userId === OWNER_ID ? providersOfEnv(env) : [];

type InForce = {
  readonly env: Env;
  readonly userId: string;
  readonly stored: readonly StoredProvider[];
  readonly providers: readonly ProviderConfig[];
};

let lately: InForce | null = null;

/** The same list as before where nothing changed that it follows from. */
export async function providersInForce(
  env: Env,
  background: Background,
  userId: string,
): Promise<readonly ProviderConfig[]> {
  const stored = await storedProviders(env, background, userId);
  if (lately?.stored !== stored || lately.env !== env || lately.userId !== userId) {
    const providers = inForce(stored, environmentOf(env, userId));
    lately = { env, userId, stored, providers };
  }
  return lately.providers;
}

/** The list of models as far as it is known; `refreshed` is a newer one, if one is due. */
export async function knownModels(
  env: Env,
  configured: readonly ProviderConfig[],
): Promise<{ list: Models; stale: boolean; refreshed: (() => Promise<void>) | null }> {
  models ??= new ModelCache({
    store: env.CACHE,
    fetch: (...args) => fetch(...args),
    now: Date.now,
  });
  const { list, later } = await models.current(listUrl(env, configured));
  return { list, stale: models.isStale(list), refreshed: later };
}

let listed: { env: Env; configured: readonly ProviderConfig[]; url: string } | null = null;

/** OpenRouter tells its models to anyone. The same as before where nothing changed that it follows from. */
function listUrl(env: Env, configured: readonly ProviderConfig[]): string {
  if (listed?.env !== env || listed.configured !== configured)
    listed = { env, configured, url: newListUrl(env, configured) };
  return listed.url;
}

function newListUrl(env: Env, configured: readonly ProviderConfig[]): string {
  const own = configured.find(({ kind }) => kind === 'openrouter')?.baseUrl;
  const baseUrl = own ?? baseUrlOf(env, 'openrouter') ?? '';
  return urlOf({ kind: 'openrouter', baseUrl }, 'openai-chat', '/v1/models');
}
