import type { SessionId } from '@filepath/protocol';
import { type Account, heldOf, limitsOf, ownOf, SESSION } from './accounts.ts';
import type { Purse } from './allowance.ts';
import type { Limit } from './money.ts';
import { amountOf } from './usage-row.ts';

/** The budgets among these accounts, in words for a person. */
export function pursesOf(
  session: SessionId,
  accounts: readonly Account[],
  nameOf: (node: string) => string,
): Purse[] {
  return accounts
    .filter((account) => account.limit_tokens !== null || account.limit_nano !== null)
    .map((account) => ({
      ...wordsOf(session, account.scope, nameOf),
      limit: limitsOf(account),
      used: amountOf(account),
      held: heldOf(account),
    }));
}

/** The user's budget, as far as this session has a lease on it. */
export function userPurse(session: Account, limit: Limit): Purse {
  return {
    scope: 'user',
    name: "the user's budget for all sessions",
    how: 'PUT /api/budget',
    limit,
    used: amountOf(session),
    held: heldOf(session),
    leased: true,
  };
}

function wordsOf(session: SessionId, scope: string, nameOf: (node: string) => string) {
  if (scope === SESSION) {
    const how = `PUT /api/session/${session}/budget`;
    return { scope, name: 'the budget of this session', how };
  }
  const own = scope.startsWith(ownOf(''));
  const node = own ? scope.slice(ownOf('').length) : scope;
  const name = `the budget of ${nameOf(node)}${own ? '' : ' and the agents below it'}`;
  return { scope: node, name, how: `PUT /api/session/${session}/node/${node}/budget` };
}
