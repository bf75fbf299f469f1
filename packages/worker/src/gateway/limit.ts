import type { Changes } from './body/edit-body.ts';
import { LIMITS_OF, NEWER, type RequestBody } from './body/request-body.ts';
import { type Ask, LEAST_OUTPUT, type Upstream } from './contract.ts';
import type { Incoming } from './incoming.ts';

export type Limit = Pick<Changes, 'limit' | 'limitKey'>;

/** The limit that keeps an answer within what was granted; `short` where it cannot be kept so. */
export function limitFor(
  { format, outputBound }: Pick<Ask, 'format' | 'outputBound'>,
  { operation, body }: Pick<Incoming, 'operation' | 'body'>,
  { provider }: Pick<Upstream, 'provider'>,
  granted: number,
): Limit | 'short' {
  const [limitKey = ''] = format === 'openai-chat' ? [chatKey(provider)] : LIMITS_OF[format];
  if (granted >= outputBound) return { limit: null, limitKey };
  if (!body || operation.kind !== 'generate') return 'short';
  const limit = Math.floor(granted / body.choices);
  return limit < LEAST_OUTPUT || limit <= body.thinking ? 'short' : { limit, limitKey };
}

/** OpenAI's newer models take only the newer name, and most other servers only the older one. */
const chatKey = (provider: string): string => (provider === 'openai' ? NEWER : 'max_tokens');

/** Servers that know both names. Any other may pass over the newer one, and answer without end. */
const KNOW_BOTH = new Set(['openai', 'openrouter', 'cloudflare']);

/** The limit in a request as its provider keeps to it; null where it keeps to none. */
export function keptLimit(
  { limit, limitKeys }: Pick<RequestBody, 'limit' | 'limitKeys'>,
  provider: string,
): number | null {
  const unknown = limitKeys.length === 1 && limitKeys[0] === NEWER && !KNOW_BOTH.has(provider);
  return unknown ? null : limit;
}
