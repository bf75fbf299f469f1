import { type Budget, FilepathError, type SessionId } from '@filepath/protocol';
import type { Account } from './ledger/accounts.ts';
import type { Purse } from './ledger/allowance.ts';
import { limitOf, showMoney } from './ledger/money.ts';
import { pursesOf } from './ledger/purses.ts';

/**
 * A child is asked for within the budgets above it: some of each is left, and no less than the child is to have. What
 * calls under way have reserved comes back, and is not counted. The words are for an agent.
 */
export function checkSpawnBudget(
  session: SessionId,
  above: readonly Account[],
  wanted: Budget | undefined,
  nameOf: (node: string) => string,
): void {
  const want = wanted === undefined ? { tokens: null, nano: null } : limitOf(wanted);
  for (const purse of pursesOf(session, above, nameOf)) {
    const { limit, used } = purse;
    if (limit.nano !== null) check(purse, limit.nano - used.nano, want.nano, showMoney);
    if (limit.tokens !== null) check(purse, limit.tokens - used.tokens, want.tokens, showTokens);
  }
}

const showTokens = (tokens: number): string => `${tokens} tokens`;

function check(
  { name, how }: Purse,
  left: number,
  want: number | null,
  show: (amount: number) => string,
): void {
  if (left <= 0) {
    throw new FilepathError(
      'cap_reached',
      `nothing is left of ${name}: finish with what is there, or ask a person to raise it (${how})`,
    );
  }
  if (want === null || want <= left) return;
  throw new FilepathError(
    'cap_reached',
    `its budget of ${show(want)} is more than is left of ${name}, which is ${show(left)}: ask for at most that, or do the work here`,
  );
}
