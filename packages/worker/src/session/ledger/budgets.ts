import {
  type AgentEntry,
  type Budget,
  type BudgetPut,
  type BudgetState,
  FilepathError,
  type NodeBudgetPut,
  type NodeBudgetState,
  type ThreadId,
} from '@filepath/protocol';
import { notFound } from '../../result.ts';
import { checkMetered } from '../admission.ts';
import { configOf, type NodeRow } from '../node-row.ts';
import type { Session } from '../session.ts';
import { ownOf, SESSION, stateOf } from './accounts.ts';
import type { LedgerDesk } from './desk.ts';
import type { TreeLedger } from './ledger.ts';
import { limitOf } from './money.ts';

type Books = { session: Session; ledger: TreeLedger; desk: LedgerDesk };

export function sessionBudget({ ledger }: Books): BudgetState {
  ledger.write();
  return stateOf(ledger.accounts.get(SESSION));
}

export function nodeBudget({ session, ledger }: Books, id: ThreadId): NodeBudgetState {
  if (!session.nodes.find(id)) throw notFound('this node');
  ledger.write();
  const { accounts } = ledger;
  return { ...stateOf(accounts.get(id)), own: stateOf(accounts.get(ownOf(id))) };
}

/** A new budget holds from the next call on, and those that were refused may try again. */
export function setSessionBudget(
  books: Books,
  { budget }: BudgetPut,
  entries: readonly AgentEntry[],
): BudgetState {
  const { session, ledger, desk } = books;
  checkAll(session.nodes.live(), budget, entries);
  ledger.accounts.limit(SESSION, limitOf(budget));
  ledger.unblock(null);
  desk.show();
  return sessionBudget(books);
}

export function setNodeBudget(
  books: Books,
  id: ThreadId,
  put: NodeBudgetPut,
  entries: readonly AgentEntry[],
): NodeBudgetState {
  const { session, ledger, desk } = books;
  const rows = session.nodes.subtree(id);
  const [node] = rows;
  if (!node) throw notFound('this node');
  if (put.budget) checkAll(rows, put.budget, entries);
  if (put.own) checkAll([node], put.own, entries);
  if (put.budget) ledger.accounts.limit(id, limitOf(put.budget));
  if (put.own) ledger.accounts.limit(ownOf(id), limitOf(put.own));
  ledger.unblock(rows.map((row) => row.id));
  ledger.accounts.markDirty(id);
  desk.show();
  return nodeBudget(books, id);
}

function checkAll(rows: readonly NodeRow[], { usd }: Budget, entries: readonly AgentEntry[]): void {
  for (const row of rows) {
    try {
      checkMetered(row.agent_type, configOf(row), usd !== null, entries);
    } catch (error) {
      if (!(error instanceof FilepathError)) throw error;
      throw new FilepathError(error.code, `${row.name}: ${error.message}`);
    }
  }
}
