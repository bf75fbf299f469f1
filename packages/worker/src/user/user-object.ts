import { DurableObject } from 'cloudflare:workers';
import {
  type Budget,
  type BudgetState,
  FilepathError,
  type Node,
  type SessionId,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { attempt, type Result } from '../result.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import type { LeaseReport } from '../session/ledger/lease.ts';
import type { Amount, Limit } from '../session/ledger/money.ts';
import { Attention, type AttentionItem } from './attention.ts';
import { USER_MIGRATIONS } from './schema.ts';
import { UserLedger } from './user-ledger.ts';

/** One user: what waits for this person, and the budget for all sessions. */
export class UserObject extends DurableObject<Env> {
  #sql: Sql;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    if (!isFresh(this.#sql)) migrate(this.#sql, USER_MIGRATIONS);
  }

  attend(session: SessionId, name: string, nodes: readonly Node[]): void {
    migrate(this.#sql, USER_MIGRATIONS);
    new Attention(this.#sql).update(session, name, nodes);
  }

  forget(session: SessionId): void {
    if (!isFresh(this.#sql)) new Attention(this.#sql).forget(session);
  }

  attention(): AttentionItem[] {
    return isFresh(this.#sql) ? [] : new Attention(this.#sql).list();
  }

  /** What a session may use of the budget. What others hold and do not need is called back first, if that takes it. */
  async lease(session: SessionId, report: LeaseReport, want: Amount): Promise<Limit> {
    const ledger = this.#ledger();
    if (!ledger.covers(session, want)) await this.#recall(ledger.holders(true, session), false);
    return ledger.lease(session, report, want);
  }

  report(session: SessionId, report: LeaseReport, over: boolean): void {
    this.#ledger().report(session, report, over);
  }

  budget(): BudgetState {
    return this.#ledger().state();
  }

  /** From then on it holds: every session asks anew before its next call. */
  async setBudget(budget: Budget): Promise<Result<BudgetState>> {
    const ledger = this.#ledger();
    ledger.setBudget(budget);
    const failed = await this.#recall(ledger.holders(false, null), true);
    return attempt(() => {
      if (failed === 0) return ledger.state();
      throw new FilepathError(
        'unavailable',
        `the budget is stored, but ${failed} sessions could not be told: send it again`,
      );
    });
  }

  /** How many could not be reached: what they hold stays theirs. */
  async #recall(holders: readonly SessionId[], anew: boolean): Promise<number> {
    const told = await Promise.allSettled(
      holders.map(async (holder) => {
        const report = await this.env.SESSION.getByName(holder).recall(anew);
        if (report) this.#ledger().report(holder, report, true);
      }),
    );
    return told.filter(({ status }) => status === 'rejected').length;
  }

  #ledger(): UserLedger {
    migrate(this.#sql, USER_MIGRATIONS);
    return new UserLedger(this.#sql);
  }
}
