import {
  addTokens,
  NO_TOKENS,
  type TokenCounts,
  totalTokens,
  type UsageTotals,
} from '@filepath/protocol';
import { NANO } from '../../gateway/contract.ts';
import type { Amount } from './money.ts';

/** What was used, as it is stored. */
export type UsageRow = {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  reasoning: number;
  nano: number;
  calls: number;
  estimated: number;
  unpriced: number;
};

export function usageRow(
  tokens: TokenCounts,
  rest: Pick<UsageRow, 'nano' | 'calls' | 'estimated' | 'unpriced'>,
): UsageRow {
  return {
    input: tokens.input,
    output: tokens.output,
    cache_read: tokens.cacheRead,
    cache_write: tokens.cacheWrite,
    reasoning: tokens.reasoning,
    ...rest,
  };
}

/** What was used, of a row that has more. */
export function usedOf(row: UsageRow): UsageRow {
  const { nano, calls, estimated, unpriced } = row;
  return usageRow(tokensOf(row), { nano, calls, estimated, unpriced });
}

export function tokensOf(row: UsageRow): TokenCounts {
  return {
    input: row.input,
    output: row.output,
    cacheRead: row.cache_read,
    cacheWrite: row.cache_write,
    reasoning: row.reasoning,
  };
}

export function totalsOf(row: UsageRow): UsageTotals {
  const { nano, calls, estimated, unpriced } = row;
  return { tokens: tokensOf(row), costUsd: nano / NANO, calls, estimated, unpriced };
}

export function amountOf(row: UsageRow): Amount {
  return { tokens: totalTokens(tokensOf(row)), nano: row.nano };
}

export function sumTotals(rows: readonly UsageRow[]): UsageTotals {
  const sum = { nano: 0, calls: 0, estimated: 0, unpriced: 0 };
  let tokens = NO_TOKENS;
  for (const row of rows) {
    tokens = addTokens(tokens, tokensOf(row));
    sum.nano += row.nano;
    sum.calls += row.calls;
    sum.estimated += row.estimated;
    sum.unpriced += row.unpriced;
  }
  return totalsOf(usageRow(tokens, sum));
}
