import { chargedBeta } from './body/charged.ts';
import type { RequestBody } from './body/request-body.ts';
import type { Ask, Price, Upstream } from './contract.ts';
import type { Incoming } from './incoming.ts';
import { keptLimit } from './limit.ts';
import type { Operation } from './operation.ts';

/** What providers add to a prompt by themselves, for tools above all. */
const ADDED_INPUT = 1024;
/** No model reads more than this at once: the bound for what the body only names. */
const LARGEST_CONTEXT = 2_000_000;
/** Where nobody knows how much a model can answer with. */
const LARGEST_OUTPUT = 131_072;

/** Tokens that a request can be at most: a tokenizer makes no more of a text than it has bytes. */
export function inputBound(size: number, body: RequestBody | null): number {
  const { added = 0, elsewhere = false } = body?.beyond ?? {};
  return size + ADDED_INPUT + added + (elsewhere ? LARGEST_CONTEXT : 0);
}

/** Tokens that the answer can have at most. What it can be limited to counts only where a limit is understood. */
export function outputBound(
  { kind, answers }: Pick<Operation, 'kind' | 'answers'>,
  body: RequestBody | null,
  { maxOutput, provider }: Pick<Upstream, 'maxOutput' | 'provider'>,
): number {
  if (!answers) return 0;
  const most = maxOutput ?? LARGEST_OUTPUT;
  if (!body || kind !== 'generate') return most;
  const asked = keptLimit(body, provider) ?? most;
  const each = maxOutput === null ? asked : Math.min(asked, most);
  return Math.min(each * body.choices, Number.MAX_SAFE_INTEGER);
}

/** What of a call has no bound or no price that is known beforehand, in words. */
export function unknownOf(
  { kind, priced }: Pick<Operation, 'kind' | 'priced'>,
  { method, path, headers, body }: Pick<Incoming, 'method' | 'path' | 'headers' | 'body'>,
): Ask['unknown'] {
  if (kind === 'other' && !priced) return { what: `${method} ${path}`, bounded: false };
  if (body?.beyond.providersTool) return { what: body.beyond.providersTool, bounded: false };
  const what = body?.beyond.charged ?? chargedBeta(headers);
  return what === null ? undefined : { what, bounded: true };
}

/** The price of a call's tokens, by how it asks for them. */
export function priceFor(price: Price | null, body: RequestBody | null): Price | null {
  if (price === null || !body?.beyond.hourCache) return price;
  return { ...price, cacheWrite: Math.max(price.cacheWrite, 2 * price.input) };
}
