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

const count = (value: unknown, ...path: readonly string[]): number => {
  const found = at(value, ...path);
  return isCount(found) ? found : 0;
};

/** What a provider's `usage` says, in our words; null where it says nothing. `before` is what an earlier one said. */
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
  const given = (key: string, otherwise: number): number => {
    const found: unknown = Reflect.get(usage, key);
    return isCount(found) ? found : otherwise;
  };
  if (!('input_tokens' in usage) && !('output_tokens' in usage)) return null;
  return {
    input: given('input_tokens', before.input),
    output: given('output_tokens', before.output),
    cacheRead: given('cache_read_input_tokens', before.cacheRead),
    cacheWrite: given('cache_creation_input_tokens', before.cacheWrite),
    reasoning: count(usage, 'output_tokens_details', 'thinking_tokens') || before.reasoning,
  };
}

/** The input of both OpenAI formats includes what came from a cache. */
function openai(usage: object): TokenCounts | null {
  const responses = 'input_tokens' in usage;
  const [inKey, outKey] = responses ? ['input', 'output'] : ['prompt', 'completion'];
  if (!(`${inKey}_tokens` in usage)) return null;
  const all = count(usage, `${inKey}_tokens`);
  const said = count(usage, `${outKey}_tokens`);
  const details = `${inKey}_tokens_details`;
  const cacheRead = Math.min(
    all,
    count(usage, details, 'cached_tokens') || count(usage, 'prompt_cache_hit_tokens'),
  );
  const cacheWrite = Math.min(all - cacheRead, count(usage, details, 'cache_write_tokens'));
  return {
    input: all - cacheRead - cacheWrite,
    // Some servers leave reasoning out of the completion, but not out of the total.
    output: Math.max(said, count(usage, 'total_tokens') - all),
    cacheRead,
    cacheWrite,
    reasoning: count(usage, `${outKey}_tokens_details`, 'reasoning_tokens'),
  };
}
