import type { WireFormat } from '@filepath/protocol';

/**
 * What a request asks a provider for. `generate` is read, bounded and counted; `free` costs nothing; `other` is
 * anything else: it is passed on and counted as far as its answer tells.
 */
export type Operation = {
  readonly format: WireFormat;
  readonly kind: 'generate' | 'free' | 'other';
  /** Its cost follows from tokens at the model's price. */
  readonly priced: boolean;
  /** It answers with words. */
  readonly answers: boolean;
};

/** The two ways in, by whose words they speak. */
export type Dialect = 'anthropic' | 'openai';

const GENERATE: Record<string, WireFormat> = {
  'anthropic/v1/messages': 'anthropic',
  'openai/v1/chat/completions': 'openai-chat',
  'openai/v1/responses': 'openai-responses',
};

/** Counting tokens, and ending a response that works in the background. */
const FREE =
  /^(?:anthropic\/v1\/messages\/count_tokens|openai\/v1\/responses\/(?:input_tokens|[^/]+\/cancel))$/;

/** Bounded and counted like the others, at the model's price. */
const PRICED = new Set(['openai/v1/embeddings', 'openai/v1/responses/compact']);

export function operationOf(dialect: Dialect, method: string, path: string): Operation {
  const name = `${dialect}${path}`;
  const generates = method === 'POST' ? GENERATE[name] : undefined;
  if (generates) return { format: generates, kind: 'generate', priced: true, answers: true };
  const format = formatOf(dialect, path);
  if (method === 'GET' || FREE.test(name))
    return { format, kind: 'free', priced: true, answers: false };
  const embeds = name === 'openai/v1/embeddings';
  return { format, kind: 'other', priced: PRICED.has(name), answers: !embeds };
}

function formatOf(dialect: Dialect, path: string): WireFormat {
  if (dialect === 'anthropic') return 'anthropic';
  return path.startsWith('/v1/responses') ? 'openai-responses' : 'openai-chat';
}
