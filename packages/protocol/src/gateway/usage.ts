import { z } from 'zod';

const count = z.int().min(0);

/** Tokens of one call or of many. `input` is what came from no cache; `output` includes `reasoning`. */
export const TokenCounts = z.strictObject({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: count,
});
export type TokenCounts = z.infer<typeof TokenCounts>;

export const NO_TOKENS: TokenCounts = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
};

/** What a budget in tokens counts. */
export function totalTokens(counts: TokenCounts): number {
  return counts.input + counts.output + counts.cacheRead + counts.cacheWrite;
}

export function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
  };
}

/** What a node, a subtree, a session or a user has used. */
export const UsageTotals = z.object({
  tokens: TokenCounts,
  costUsd: z.number().min(0),
  calls: count,
  /** Calls whose count is an upper bound, since the stream ended before its usage came. */
  estimated: count,
  /** Calls of models without a known price: they are not in `costUsd`. */
  unpriced: count,
});
export type UsageTotals = z.infer<typeof UsageTotals>;

/** Null: no limit of this kind. */
export const Budget = z.strictObject({
  tokens: z.int().min(0).max(1e12).nullable(),
  usd: z.number().min(0).max(1e6).nullable(),
});
export type Budget = z.infer<typeof Budget>;

export const NO_BUDGET: Budget = { tokens: null, usd: null };

export const NO_USAGE: UsageTotals = {
  tokens: NO_TOKENS,
  costUsd: 0,
  calls: 0,
  estimated: 0,
  unpriced: 0,
};
