import { ProviderUrl, type ProviderKind } from '@filepath/protocol';
import type { ProviderEnv } from '../../env.ts';
import { KINDS } from './kinds.ts';
import type { ProviderConfig } from './provider.ts';

const CLOUDFLARE_HOST = 'gateway.ai.cloudflare.com';

/** The variables of each kind: its key, and its URL where that is not the usual one. */
export const VARIABLES = {
  openrouter: ['OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  cloudflare: ['CF_AIG_TOKEN', 'CF_AIG_BASE_URL'],
} as const satisfies Partial<Record<ProviderKind, readonly [keyof ProviderEnv, keyof ProviderEnv]>>;

type NamedKind = keyof typeof VARIABLES;
const NAMED = Object.keys(VARIABLES) as NamedKind[];

/** The providers whose key the environment has. A URL that is none leaves its provider out. */
export function providersOfEnv(env: ProviderEnv): ProviderConfig[] {
  return NAMED.flatMap((kind) => {
    const [keyName] = VARIABLES[kind];
    const key = env[keyName] ?? '';
    const baseUrl = baseUrlOf(env, kind);
    if (key === '' || baseUrl === null) return [];
    return [
      {
        id: kind,
        kind,
        name: KINDS[kind].name,
        source: 'environment',
        baseUrl,
        key,
        headers: kind === 'cloudflare' ? {} : cloudflareHeader(env, baseUrl),
        models: [],
        formats: KINDS[kind].formats,
        free: false,
        prices: {},
      } satisfies ProviderConfig,
    ];
  });
}

export function baseUrlOf(env: ProviderEnv, kind: NamedKind): string | null {
  const given = env[VARIABLES[kind][1]] ?? '';
  if (given === '') return KINDS[kind].baseUrl;
  const known = urls.get(given);
  if (known !== undefined) return known;
  const url = ProviderUrl.safeParse(given).data ?? null;
  if (urls.size < MAX_URLS) urls.set(given, url);
  return url;
}

/** They are asked for with every call, and are always the same. */
const urls = new Map<string, string | null>();
const MAX_URLS = 16;

/** A provider behind Cloudflare's AI Gateway needs the gateway's token too. No other host is shown it. */
function cloudflareHeader(env: ProviderEnv, baseUrl: string): Record<string, string> {
  const token = env.CF_AIG_TOKEN ?? '';
  if (token === '' || new URL(baseUrl).host !== CLOUDFLARE_HOST) return {};
  return { 'cf-aig-authorization': `Bearer ${token}` };
}
