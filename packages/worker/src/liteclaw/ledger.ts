import { type CallId, NO_TOKENS, type ThreadId, TokenCounts } from '@filepath/protocol';
import type { Ask, Grant, Ledger, Outcome, Price } from '../gateway/contract.ts';
import { Serial } from '../serial.ts';
import { allow, type Purse } from '../session/ledger/allowance.ts';
import type { LeaseReport } from '../session/ledger/lease.ts';
import {
  type Amount,
  costOf,
  type Limit,
  plausible,
  worstCase,
  worstTokens,
} from '../session/ledger/money.ts';
import { USAGE_COLUMNS } from '../session/ledger/schema.ts';
import { amountOf, type UsageRow, usageRow, usedOf } from '../session/ledger/usage-row.ts';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';

/** The user's ledger as a chat has it. */
export type UserAccount = {
  lease(chat: ThreadId, report: LeaseReport, want: Amount, takes: boolean): Promise<Limit>;
  report(chat: ThreadId, report: LeaseReport, over: boolean): Promise<void>;
};

type Deps = {
  readonly sql: Sql;
  readonly chat: ThreadId;
  readonly user: () => UserAccount;
  /** Keeps work going that nobody waits for. */
  readonly keep: (work: Promise<void>) => void;
};

type CallRow = {
  call: string;
  price: string | null;
  input_bound: number;
  output_bound: number;
  held_tokens: number;
  held_nano: number;
};

const CHARGE = USAGE_COLUMNS.map((column) => `${column} = ${column} + ?`).join(', ');

/** More words than can have been said since the number of one was stored. */
const UNSTORED = 16;

/**
 * What a chat uses of its user's budget. It asks for each call, and holds nothing between calls: a chat makes few, and
 * one at a time.
 */
export class ChatLedger implements Ledger {
  #deps: Deps;
  #turn = new Serial();
  /** The number of what was last said to the user's ledger, which takes no older word for a newer one. */
  #said: number;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#said = (readValue<number>(deps.sql, 'lease') ?? 0) + UNSTORED;
    writeValue(deps.sql, 'lease', this.#said);
    // Calls that were under way when the object ended: nobody can say any more what they used.
    for (const { call } of deps.sql.all<CallRow>('SELECT * FROM calls'))
      this.#charge(call as CallId, null, false);
  }

  async check(): Promise<boolean> {
    return true;
  }

  async refused(): Promise<boolean> {
    return true;
  }

  async renew(): Promise<void> {}

  reserve(ask: Ask): Promise<Grant> {
    return this.#turn.run(async () => {
      const { sql } = this.#deps;
      const { used, held } = this.#totals();
      const worst = worstCase(ask.price, ask.inputBound, ask.outputBound);
      const want = {
        tokens: used.tokens + held.tokens + worst.tokens,
        nano: used.nano + held.nano + worst.nano,
      };
      // What it would take counts as taken at once: without a budget there is then nothing more to tell.
      const limit = await this.#lease(want);
      const allowed = allow(ask, [purse(limit, used, held)]);
      if (allowed.ok) {
        const taken = worstCase(ask.price, ask.inputBound, allowed.outputBound);
        sql.run(
          `INSERT INTO calls (call, price, input_bound, output_bound, held_tokens, held_nano)
           VALUES (?, ?, ?, ?, ?, ?)`,
          ask.call,
          ask.price === null ? null : JSON.stringify(ask.price),
          ask.inputBound,
          allowed.outputBound,
          taken.tokens,
          taken.nano,
        );
        writeValue(sql, 'lease', this.#said);
      }
      const standing = limit.tokens === null && limit.nano === null;
      if (!allowed.ok || !standing) this.#tell();
      if (allowed.ok) return { ok: true, outputBound: allowed.outputBound, standing };
      const { code, message } = allowed;
      return { ok: false, code, message, scope: 'user' };
    });
  }

  async #lease(want: Amount): Promise<Limit> {
    const { chat, user } = this.#deps;
    try {
      return await user().lease(chat, this.#report(), want, true);
    } catch (error) {
      // It may have been heard all the same.
      this.#tell();
      throw error;
    }
  }

  async settle(call: CallId, { tokens, estimated = false }: Outcome): Promise<void> {
    this.#charge(call, tokens, estimated);
    this.#tell();
  }

  /** What was used so far. */
  usage(): UsageRow {
    const row = first<UsageRow>(this.#deps.sql, 'SELECT * FROM used');
    return usedOf(row ?? usageRow(NO_TOKENS, { nano: 0, calls: 0, estimated: 0, unpriced: 0 }));
  }

  /** Once: a call that is not open any more has been charged. */
  #charge(call: CallId, counted: TokenCounts | null, estimated: boolean): void {
    const { sql } = this.#deps;
    const row = first<CallRow>(sql, 'SELECT * FROM calls WHERE call = ?', call);
    if (!row) return;
    const { success, data } = TokenCounts.safeParse(counted);
    const known = success && plausible(data);
    const tokens = known ? data : worstTokens(row.input_bound, row.output_bound);
    const price = row.price === null ? null : (JSON.parse(row.price) as Price);
    const used = usageRow(tokens, {
      nano: known ? costOf(price, tokens) : row.held_nano,
      calls: 1,
      estimated: known && !estimated ? 0 : 1,
      unpriced: price === null ? 1 : 0,
    });
    sql.transaction(() => {
      sql.run('DELETE FROM calls WHERE call = ?', call);
      sql.run(`UPDATE used SET ${CHARGE}`, ...USAGE_COLUMNS.map((column) => used[column]));
    });
  }

  #totals(): { used: Amount; held: Amount } {
    const held = first<{ tokens: number; nano: number }>(
      this.#deps.sql,
      'SELECT coalesce(sum(held_tokens), 0) AS tokens, coalesce(sum(held_nano), 0) AS nano FROM calls',
    );
    return { used: amountOf(this.usage()), held: held ?? { tokens: 0, nano: 0 } };
  }

  /** Its number is stored with what comes of it: a commit of its own would hold up the call. */
  #report(): LeaseReport {
    this.#said += 1;
    const { used, held } = this.#totals();
    const taken = { tokens: used.tokens + held.tokens, nano: used.nano + held.nano };
    return { n: this.#said, used: this.usage(), taken };
  }

  /** Gives back what no call needs. A word that is lost is made up for by the next one. */
  #tell(): void {
    const { sql, chat, user, keep } = this.#deps;
    const told = this.#turn.run(() => {
      const report = this.#report();
      writeValue(sql, 'lease', report.n);
      return user().report(chat, report, true);
    });
    keep(told.catch(() => undefined));
  }
}

const purse = (limit: Limit, used: Amount, held: Amount): Purse => ({
  scope: 'user',
  name: 'your budget for everything here',
  how: 'PUT /api/budget',
  limit,
  used,
  held,
  leased: true,
});
