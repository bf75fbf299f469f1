import {
  type Budget,
  BudgetDefaults,
  type BudgetState,
  NO_BUDGET,
  type SessionId,
  type ThreadId,
  type UsageTotals,
} from '@filepath/protocol';
import { NANO } from '../gateway/contract.ts';
import type { LeaseReport } from '../session/ledger/lease.ts';
import { type Amount, type Limit, limitOf } from '../session/ledger/money.ts';
import { USAGE_COLUMNS } from '../session/ledger/schema.ts';
import { amountOf, sumTotals, type UsageRow } from '../session/ledger/usage-row.ts';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';

/** Who uses of a user's budget: a session, or a chat. */
export type Holder = SessionId | ThreadId;

type LeaseRow = UsageRow & {
  session: string;
  n: number;
  active: number;
  limit_tokens: number | null;
  limit_nano: number | null;
  taken_tokens: number;
  taken_nano: number;
};

/** A session gets this part of what is left beside what it asks for, so that it need not ask for each call. */
const SLACK = 8;
const DEFAULTS = 'budget-defaults';

/**
 * The user's budget and what each session has of it. A session may use up to its lease without asking; all leases
 * together never exceed the budget, whatever happens to the sessions.
 */
export class UserLedger {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get budget(): Budget {
    const query = 'SELECT tokens, usd FROM budget';
    return first<{ tokens: number | null; usd: number | null }>(this.#sql, query) ?? NO_BUDGET;
  }

  /** What new sessions and agents have. */
  get defaults(): BudgetDefaults {
    const kept = readValue<unknown>(this.#sql, DEFAULTS);
    return kept === null ? { session: NO_BUDGET, agent: NO_BUDGET } : BudgetDefaults.parse(kept);
  }

  set defaults(defaults: BudgetDefaults) {
    writeValue(this.#sql, DEFAULTS, defaults);
  }

  setBudget({ tokens, usd }: Budget): void {
    this.#sql.transaction(() => {
      this.#sql.run('DELETE FROM budget');
      this.#sql.run('INSERT INTO budget (tokens, usd) VALUES (?, ?)', tokens, usd);
    });
  }

  state(): BudgetState {
    const rows = this.#rows();
    const reserved = { tokens: 0, nano: 0 };
    for (const row of rows) {
      const used = amountOf(row);
      reserved.tokens += Math.max(0, claimOf(row, 'tokens') - used.tokens);
      reserved.nano += Math.max(0, claimOf(row, 'nano') - used.nano);
    }
    return {
      budget: this.budget,
      usage: sumTotals(rows),
      reserved: { tokens: reserved.tokens, usd: reserved.nano / NANO },
    };
  }

  /** What each session has used, as it last said. */
  usages(): { session: string; usage: UsageTotals }[] {
    return this.#rows().map((row) => ({ session: row.session, usage: sumTotals([row]) }));
  }

  /**
   * How far the session may go in all: up to `want` and some more, or as far as there is. `takes`: what it gets of what it
   * wants it has taken then.
   */
  lease(session: Holder, report: LeaseReport, want: Amount, takes = false): Limit {
    return this.#sql.transaction(() => {
      const known = this.#row(session);
      if (known && report.n <= known.n) return limitOfRow(known);
      const budget = limitOf(this.budget);
      const others = this.#rows().filter((row) => row.session !== session);
      // Until the answer is there the session goes by its old lease: it is never made smaller here. What calls under
      // way hold is no part of that: under a budget that was lowered meanwhile they end, and make no room for others.
      const old = known?.active === 1 ? limitOfRow(known) : { tokens: 0, nano: 0 };
      const limit = {
        tokens: grant('tokens', budget, others, old, want),
        nano: grant('nano', budget, others, old, want),
      };
      const taken = {
        tokens: Math.max(report.taken.tokens, Math.min(want.tokens, limit.tokens ?? Infinity)),
        nano: Math.max(report.taken.nano, Math.min(want.nano, limit.nano ?? Infinity)),
      };
      this.#write(session, takes ? { ...report, taken } : report, limit, true);
      return limit;
    });
  }

  /** What a session has used. With `over` it holds no more than what its calls under way have reserved. */
  report(session: Holder, report: LeaseReport, over: boolean): void {
    this.#sql.transaction(() => {
      const known = this.#row(session);
      if (known && report.n <= known.n) return;
      const keeps = !over && known?.active === 1;
      this.#write(session, report, keeps ? limitOfRow(known) : report.taken, keeps);
    });
  }

  /** Whether that much is there for a session, as things stand. */
  covers(session: Holder, want: Amount): boolean {
    const budget = limitOf(this.budget);
    const others = this.#rows().filter((row) => row.session !== session);
    return (['tokens', 'nano'] as const).every((kind) => {
      const limit = budget[kind];
      return limit === null || limit - sum(others, kind) >= want[kind];
    });
  }

  /** Sessions that hold a lease; with `spare`, only those that hold more than they need. */
  holders(spare: boolean, except: Holder | null): SessionId[] {
    return (
      this.#rows()
        .filter((row) => row.active === 1 && row.session !== except && (!spare || hasSpare(row)))
        // A chat holds a lease while it asks, or while its call runs where there is no budget: nothing of it is spare.
        .filter((row) => row.session.startsWith('ses_'))
        .map((row) => row.session as SessionId)
    );
  }

  /** Chats that have asked: each was told whether there is a budget. */
  chats(): ThreadId[] {
    return this.#rows()
      .filter(({ session }) => session.startsWith('th_'))
      .map(({ session }) => session as ThreadId);
  }

  #rows(): LeaseRow[] {
    return this.#sql.all<LeaseRow>('SELECT * FROM leases');
  }

  #row(session: Holder): LeaseRow | null {
    return first<LeaseRow>(this.#sql, 'SELECT * FROM leases WHERE session = ?', session);
  }

  #write(session: Holder, report: LeaseReport, limit: Limit, active: boolean): void {
    const { n, used, taken } = report;
    const columns = ['session', 'n', 'active', 'limit_tokens', 'limit_nano', 'taken_tokens'];
    const names = [...columns, 'taken_nano', ...USAGE_COLUMNS];
    this.#sql.run(
      `INSERT OR REPLACE INTO leases (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      session,
      n,
      active ? 1 : 0,
      limit.tokens,
      limit.nano,
      taken.tokens,
      taken.nano,
      ...USAGE_COLUMNS.map((column) => used[column]),
    );
  }
}

type Kind = 'tokens' | 'nano';

function grant(
  kind: Kind,
  budget: Limit,
  others: readonly LeaseRow[],
  old: Limit,
  want: Amount,
): number | null {
  const limit = budget[kind];
  if (limit === null) return null;
  const there = limit - sum(others, kind);
  const slack = Math.max(0, Math.floor((there - want[kind]) / SLACK));
  return Math.max(old[kind] ?? 0, Math.min(there, want[kind] + slack));
}

function sum(rows: readonly LeaseRow[], kind: Kind): number {
  return rows.reduce((total, row) => total + claimOf(row, kind), 0);
}

/** What a session may have used by now, at most. Without a limit it is what it said. */
function claimOf(row: LeaseRow, kind: Kind): number {
  const taken = kind === 'tokens' ? row.taken_tokens : row.taken_nano;
  const limit = kind === 'tokens' ? row.limit_tokens : row.limit_nano;
  return row.active === 1 && limit !== null ? Math.max(limit, taken) : taken;
}

function hasSpare(row: LeaseRow): boolean {
  return claimOf(row, 'tokens') > row.taken_tokens || claimOf(row, 'nano') > row.taken_nano;
}

const limitOfRow = (row: LeaseRow): Limit => ({ tokens: row.limit_tokens, nano: row.limit_nano });
