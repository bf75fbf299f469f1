import { NO_BUDGET, NO_USAGE, type Session, totalTokens } from '@filepath/protocol';

/** What a session used of its budget: in dollars, or in tokens where only those are limited. */
export type Spent =
  | {
      readonly kind: 'usd';
      readonly used: number;
      readonly limit: number | null;
      readonly part: number;
    }
  | {
      readonly kind: 'tokens';
      readonly used: number;
      readonly limit: number;
      readonly part: number;
    };

export function sessionSpent({ usage = NO_USAGE, budget = NO_BUDGET }: Session): Spent {
  if (budget.usd === null && budget.tokens !== null) {
    const used = totalTokens(usage.tokens);
    return { kind: 'tokens', used, limit: budget.tokens, part: partOf(used, budget.tokens) };
  }
  const used = usage.costUsd;
  return { kind: 'usd', used, limit: budget.usd, part: partOf(used, budget.usd) };
}

function partOf(used: number, limit: number | null): number {
  if (limit === null) return 0;
  return limit === 0 ? 1 : Math.min(1, used / limit);
}
