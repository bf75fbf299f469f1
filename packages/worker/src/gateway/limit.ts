import type { Changes } from './body/edit-body.ts';
import { LIMITS_OF } from './body/request-body.ts';
import type { Ask, Upstream } from './contract.ts';
import type { Incoming } from './incoming.ts';

/** An answer shorter than this is of no use to an agent. */
const LEAST_OUTPUT = 1024;

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
const chatKey = (provider: string): string =>
  provider === 'openai' ? 'max_completion_tokens' : 'max_tokens';
