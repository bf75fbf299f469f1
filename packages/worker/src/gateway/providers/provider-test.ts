import type { ProviderTest } from '@filepath/protocol';
import { z } from 'zod';
import { redact } from '../../auth/redact.ts';
import { fetchJson } from '../models/fetch-json.ts';
import { type ProviderConfig, secretsOfProvider } from './provider.ts';
import { headersOf, urlOf } from './upstream.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_MODELS = 200;
const MAX_WORDS = 300;

const Listed = z.object({ data: z.array(z.object({ id: z.string().max(200) })) });
const Refused = z.object({
  error: z.union([z.string(), z.object({ message: z.string() }).transform((one) => one.message)]),
});

/** Asks a provider whether it takes its key, at no cost: for its models, or for the key itself where models are open. */
export async function testProvider(
  provider: ProviderConfig,
  fetcher: typeof fetch = (...args) => fetch(...args),
): Promise<ProviderTest> {
  const { kind, name } = provider;
  const path = kind === 'openrouter' ? '/v1/key' : '/v1/models';
  const url = urlOf(provider, kind === 'anthropic' ? 'anthropic' : 'openai-chat', path);
  const secrets = secretsOfProvider(provider);
  const hide = (text: string): string => redact(text, secrets).slice(0, MAX_WORDS);
  try {
    const { status, body } = await fetchJson(fetcher, url, {
      limit: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      headers: headersOf(provider),
    });
    const models = Listed.safeParse(body).data?.data.slice(0, MAX_MODELS) ?? [];
    const ids = models.map(({ id }) => hide(id));
    if (status < 300) return { ok: true, status, message: `${name} takes the key.`, models: ids };
    const words = Refused.safeParse(body).data?.error;
    return { ok: false, status, message: hide(refusal(name, status, words)), models: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = hide(`${name} was not reached at ${new URL(url).origin}: ${why}`);
    return { ok: false, status: null, message, models: [] };
  }
}

function refusal(name: string, status: number, words: string | undefined): string {
  const told = words === undefined ? '' : `: ${words}`;
  if (status === 401 || status === 403) return `${name} refuses the key (${status})${told}`;
  if (status === 404) return `${name} answers 404: check the URL${told}`;
  return `${name} answers ${status}${told}`;
}
