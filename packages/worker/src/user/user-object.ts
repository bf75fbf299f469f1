import { DurableObject } from 'cloudflare:workers';
import {
  type Budget,
  type BudgetState,
  FilepathError,
  type Memory,
  type MemoryId,
  type MemoryPatch,
  type MemoryScope,
  type MemoryStored,
  type Node,
  type SessionId,
  type ThreadId,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { learnSecretsOfProviders, secretsAreLearnt } from '../gateway/memory.ts';
import { attempt, type Result } from '../result.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import type { LeaseReport } from '../session/ledger/lease.ts';
import type { Amount, Limit } from '../session/ledger/money.ts';
import { Attention, type AttentionItem } from './attention.ts';
import type { Listing, Memories, SaidMemory } from './memory/memories.ts';
import type { NewMemory } from './memory/memory-row.ts';
import { openMemories } from './memory/open.ts';
import type { Sight } from './memory/sight.ts';
import { USER_MIGRATIONS } from './schema.ts';
import { UserLedger } from './user-ledger.ts';

/** One user: what waits for this person, the budget for all sessions, and what is remembered. */
export class UserObject extends DurableObject<Env> {
  #sql: Sql;
  #memories: Memories;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#memories = openMemories(this.#sql, env);
    // Before anything is remembered: what is to be hidden must be known.
    if (!secretsAreLearnt())
      void ctx.blockConcurrencyWhile(() => learnSecretsOfProviders(env, ctx));
    if (!isFresh(this.#sql)) migrate(this.#sql, USER_MIGRATIONS);
  }

  attend(session: SessionId, name: string, nodes: readonly Node[]): void {
    migrate(this.#sql, USER_MIGRATIONS);
    new Attention(this.#sql).update(session, name, nodes);
  }

  forget(session: SessionId): void {
    if (isFresh(this.#sql)) return;
    new Attention(this.#sql).forget(session);
    this.#memories.forgetSession(session);
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

  remember(memory: NewMemory): Result<MemoryStored> {
    migrate(this.#sql, USER_MIGRATIONS);
    return attempt(() => this.#memories.store(memory));
  }

  /** What a thread's agent printed, each once. */
  takeMemories(thread: ThreadId, session: SessionId, said: readonly SaidMemory[]): void {
    migrate(this.#sql, USER_MIGRATIONS);
    this.#memories.take(thread, session, said);
  }

  recallMemories(sight: Sight, q: string, scope: MemoryScope | undefined, limit: number): Memory[] {
    return isFresh(this.#sql) ? [] : this.#memories.recall(sight, q, scope, limit);
  }

  /** What an agent starts with. */
  giveMemories(sight: Sight, task: string): Memory[] {
    return isFresh(this.#sql) ? [] : this.#memories.give(sight, task);
  }

  forgetMemory(sight: Sight, id: MemoryId): Result<null> {
    return this.#onMemories((memories) => memories.forget(sight, id));
  }

  forgetAgent(thread: ThreadId): void {
    if (!isFresh(this.#sql)) this.#memories.forgetAgent(thread);
  }

  memories(listing: Listing): { memories: Memory[]; total: number } {
    return isFresh(this.#sql) ? { memories: [], total: 0 } : this.#memories.list(listing);
  }

  changeMemory(id: MemoryId, patch: MemoryPatch): Result<Memory> {
    migrate(this.#sql, USER_MIGRATIONS);
    return attempt(() => this.#memories.update(id, patch));
  }

  removeMemory(id: MemoryId): Result<null> {
    return this.#onMemories((memories) => memories.remove(id));
  }

  #onMemories(work: (memories: Memories) => void): Result<null> {
    migrate(this.#sql, USER_MIGRATIONS);
    return attempt(() => {
      work(this.#memories);
      return null;
    });
  }

  #ledger(): UserLedger {
    migrate(this.#sql, USER_MIGRATIONS);
    return new UserLedger(this.#sql);
  }
}
