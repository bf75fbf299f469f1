import { NO_TOKENS, type TokenCounts, type WireFormat } from '@filepath/protocol';

/** A value of a provider's JSON by its path; undefined where anything on the way is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** A count by its path: 0 where there is none, null where it is no number of tokens. */
const count = (value: unknown, ...path: readonly string[]): number | null => {
  const found = at(value, ...path) ?? 0;
  return isCount(found) ? found : null;
};

/**
 * What a provider's `usage` says, in our words; null where it says nothing, or what cannot be meant: nobody has counted
 * then. `before` is what an earlier one said.
 */
export function countsOf(
  format: WireFormat,
  usage: unknown,
  before?: TokenCounts,
): TokenCounts | null {
  if (typeof usage !== 'object' || usage === null) return null;
  return format === 'anthropic' ? anthropic(usage, before) : openai(usage);
}

/** Counts of a stream are cumulative, and the later ones leave out what did not change. */
function anthropic(usage: object, before: TokenCounts = NO_TOKENS): TokenCounts | null {
  if (!('input_tokens' in usage) && !('output_tokens' in usage)) return null;
  const given = (key: string, otherwise: number): number | null =>
    (Reflect.get(usage, key) ?? null) === null ? otherwise : count(usage, key);
  const input = given('input_tokens', before.input);
  const output = given('output_tokens', before.output);
  const cacheRead = given('cache_read_input_tokens', before.cacheRead);
  const cacheWrite = given('cache_creation_input_tokens', before.cacheWrite);
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null;
  const thought = count(usage, 'output_tokens_details', 'thinking_tokens') ?? 0;
  return { input, output, cacheRead, cacheWrite, reasoning: thought || before.reasoning };
}

/** The input of both OpenAI formats includes what came from a cache. */
function openai(usage: object): TokenCounts | null {
  const responses = 'input_tokens' in usage;
  const [inKey, outKey] = responses ? ['input', 'output'] : ['prompt', 'completion'];
  if (!(`${inKey}_tokens` in usage)) return null;
  const all = count(usage, `${inKey}_tokens`);
  const said = count(usage, `${outKey}_tokens`);
  if (all === null || said === null) return null;
  const details = `${inKey}_tokens_details`;
  const cached =
    count(usage, details, 'cached_tokens') || count(usage, 'prompt_cache_hit_tokens') || 0;
  const cacheRead = Math.min(all, cached);
  const written = count(usage, details, 'cache_write_tokens') ?? 0;
  const cacheWrite = Math.min(all - cacheRead, written);
  return {
    input: all - cacheRead - cacheWrite,
    // Some servers leave reasoning out of the completion, but not out of the total.
    output: Math.max(said, (count(usage, 'total_tokens') ?? 0) - all),
    cacheRead,
    cacheWrite,
    reasoning: count(usage, `${outKey}_tokens_details`, 'reasoning_tokens') ?? 0,
  };
}
