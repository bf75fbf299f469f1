import { type Budget, NO_TOKENS, type TokenCounts, totalTokens } from '@filepath/protocol';
import { NANO, type Price } from '../../gateway/contract.ts';

/** Tokens and billionths of a dollar. */
export type Amount = { readonly tokens: number; readonly nano: number };

/** Null: no limit of this kind. */
export type Limit = { readonly tokens: number | null; readonly nano: number | null };

/** More tokens than any call has: such a count is a provider's mistake. */
const MAX_TOKENS = 1e9;

/** What a call costs, in whole billionths of a dollar. Reasoning is part of the output. */
export function costOf(price: Price | null, tokens: TokenCounts): number {
  if (price === null) return 0;
  return Math.round(
    price.input * tokens.input +
      price.output * tokens.output +
      price.cacheRead * tokens.cacheRead +
      price.cacheWrite * tokens.cacheWrite,
  );
}

/** The most that one token of input can cost: it may be written to a cache or come from one. */
export function inputPrice(price: Price): number {
  return Math.max(price.input, price.cacheRead, price.cacheWrite);
}

export function worstCase(price: Price | null, input: number, output: number): Amount {
  const nano = price === null ? 0 : Math.ceil(inputPrice(price) * input + price.output * output);
  return { tokens: input + output, nano };
}

export function worstTokens(input: number, output: number): TokenCounts {
  return { ...NO_TOKENS, input, output };
}

/** Whether a provider can have meant this count. */
export function plausible(tokens: TokenCounts): boolean {
  return totalTokens(tokens) <= MAX_TOKENS && tokens.reasoning <= MAX_TOKENS;
}

export function limitOf(budget: Budget): Limit {
  return {
    tokens: budget.tokens,
    nano: budget.usd === null ? null : Math.round(budget.usd * NANO),
  };
}

export function budgetOf(limit: Limit): Budget {
  return { tokens: limit.tokens, usd: limit.nano === null ? null : limit.nano / NANO };
}

/** An amount of money for a person: cents, or as many places as it takes to see something. */
export function showMoney(nano: number): string {
  const usd = nano / NANO;
  if (usd === 0 || usd >= 0.01) return `$${usd.toFixed(2)}`;
  return `$${usd.toFixed(6).replace(/0+$/, '')}`;
}
