import { type BudgetState, NO_TOKENS, type ThreadId, totalTokens } from '@filepath/protocol';
import { NANO } from '../../gateway/contract.ts';
import { first, type Sql } from '../../storage/sql.ts';
import { type Amount, budgetOf, type Limit } from './money.ts';
import { USAGE_COLUMNS } from './schema.ts';
import { amountOf, tokensOf, totalsOf, type UsageRow, usageRow } from './usage-row.ts';

export const SESSION = 'session';
export const ownOf = (node: string): string => `own:${node}`;

export type Account = UsageRow & {
  scope: string;
  limit_tokens: number | null;
  limit_nano: number | null;
  held_tokens: number;
  held_nano: number;
  dirty: number;
};

const EMPTY: Omit<Account, 'scope'> = {
  ...usageRow(NO_TOKENS, { nano: 0, calls: 0, estimated: 0, unpriced: 0 }),
  limit_tokens: null,
  limit_nano: null,
  held_tokens: 0,
  held_nano: 0,
  dirty: 0,
};

const CHARGE = USAGE_COLUMNS.map((column) => `${column} = ${column} + ?`).join(', ');

/** What each node, each subtree and the session may use, has used and has reserved. */
export class Accounts {
  #sql: Sql;
  /** Until a node moves, the accounts above it are the same. */
  #paths = new Map<string, readonly string[]>();
  /** Of nodes: whether a budget stands on their path. Until a budget changes or a node moves, it is the same. */
  #limited = new Map<string, boolean>();

  /** Whoever was told that a node is under no budget is told that this may have changed. */
  #revoke: () => void;

  constructor(sql: Sql, revoke: () => void) {
    this.#sql = sql;
    this.#revoke = revoke;
  }

  open(node: ThreadId): void {
    this.#sql.run('INSERT INTO accounts (scope) VALUES (?), (?)', node, ownOf(node));
  }

  get(scope: string): Account {
    const row = first<Account>(this.#sql, 'SELECT * FROM accounts WHERE scope = ?', scope);
    return row ?? { ...EMPTY, scope };
  }

  all(): Map<string, Account> {
    const rows = this.#sql.all<Account>('SELECT * FROM accounts');
    return new Map(rows.map((row) => [row.scope, row]));
  }

  /** The accounts that a call of this node counts in: its own, its subtree's, those above, the session's. */
  pathOf(node: string): readonly string[] {
    const known = this.#paths.get(node);
    if (known) return known;
    const above = this.#sql.all<{ id: string }>(
      `WITH RECURSIVE up (id, parent, depth) AS (
         SELECT id, parent_id, 0 FROM nodes WHERE id = ?
         UNION ALL SELECT nodes.id, nodes.parent_id, depth + 1 FROM nodes JOIN up ON nodes.id = up.parent)
       SELECT id FROM up ORDER BY depth`,
      node,
    );
    const path = [ownOf(node), ...above.map(({ id }) => id), SESSION];
    this.#paths.set(node, path);
    return path;
  }

  /** These nodes are about to move: their calls that are under way, or counted by an estimate, settle where they were reserved. */
  pin(nodes: readonly string[]): void {
    for (const node of nodes) {
      this.#sql.run(
        'UPDATE calls SET path = ? WHERE node = ? AND path IS NULL',
        JSON.stringify(this.pathOf(node)),
        node,
      );
    }
    this.#paths.clear();
    this.#limited.clear();
    this.#revoke();
  }

  /** Whether any budget holds for a call of this node, but for the user's. */
  isLimited(node: string): boolean {
    const known = this.#limited.get(node);
    if (known !== undefined) return known;
    const limited = this.along(this.pathOf(node)).some(
      ({ limit_tokens, limit_nano }) => limit_tokens !== null || limit_nano !== null,
    );
    this.#limited.set(node, limited);
    return limited;
  }

  /** Those of `path`, in its order. */
  along(path: readonly string[]): Account[] {
    const rows = this.#sql.all<Account>(
      'SELECT * FROM accounts WHERE scope IN (SELECT value FROM json_each(?))',
      JSON.stringify(path),
    );
    return path.flatMap((scope) => rows.filter((row) => row.scope === scope));
  }

  hold(path: readonly string[], { tokens, nano }: Amount): void {
    this.#sql.run(
      `UPDATE accounts SET held_tokens = held_tokens + ?, held_nano = held_nano + ?
       WHERE scope IN (SELECT value FROM json_each(?))`,
      tokens,
      nano,
      JSON.stringify(path),
    );
  }

  /** What calls of a node hold and have used. */
  change(path: readonly string[], node: string, held: Amount, used: UsageRow): void {
    this.#sql.run(
      `UPDATE accounts SET held_tokens = held_tokens + ?, held_nano = held_nano + ?, ${CHARGE}, dirty = 1
       WHERE scope IN (SELECT value FROM json_each(?))`,
      held.tokens,
      held.nano,
      ...USAGE_COLUMNS.map((column) => used[column]),
      JSON.stringify(path),
    );
    const tokens = totalTokens(tokensOf(used));
    this.#sql.run('UPDATE nodes SET tokens = tokens + ? WHERE id = ?', tokens, node);
  }

  limit(scope: string, { tokens, nano }: Limit): void {
    this.#limited.clear();
    this.#revoke();
    this.#sql.run(
      'UPDATE accounts SET limit_tokens = ?, limit_nano = ?, dirty = 1 WHERE scope = ?',
      tokens,
      nano,
      scope,
    );
  }

  markDirty(scope: string): void {
    this.#sql.run('UPDATE accounts SET dirty = 1 WHERE scope = ?', scope);
  }

  hasDirty(): boolean {
    return first(this.#sql, 'SELECT scope FROM accounts WHERE dirty = 1 LIMIT 1') !== null;
  }

  /** The accounts that changed since this was last asked. */
  takeDirty(): string[] {
    const rows = this.#sql.all<{ scope: string }>('SELECT scope FROM accounts WHERE dirty = 1');
    if (rows.length > 0) this.#sql.run('UPDATE accounts SET dirty = 0 WHERE dirty = 1');
    return rows.map(({ scope }) => scope);
  }

  /** Whether a budget in money stands above a child of this node; of a root, with null. */
  moneyAbove(node: string | null): boolean {
    return this.#hasMoney(node === null ? [SESSION] : this.pathOf(node).slice(1));
  }

  /** Whether one holds for this node. */
  moneyOf(node: string): boolean {
    return this.#hasMoney(this.pathOf(node));
  }

  #hasMoney(path: readonly string[]): boolean {
    return this.along(path).some((account) => account.limit_nano !== null);
  }
}

export const limitsOf = (account: Account): Limit => ({
  tokens: account.limit_tokens,
  nano: account.limit_nano,
});

export const heldOf = (account: Account): Amount => ({
  tokens: account.held_tokens,
  nano: account.held_nano,
});

/** What is used and reserved. */
export function takenOf(account: Account): Amount {
  const used = amountOf(account);
  return { tokens: used.tokens + account.held_tokens, nano: used.nano + account.held_nano };
}

export function stateOf(account: Account): BudgetState {
  return {
    budget: budgetOf(limitsOf(account)),
    usage: totalsOf(account),
    reserved: { tokens: account.held_tokens, usd: account.held_nano / NANO },
  };
}
