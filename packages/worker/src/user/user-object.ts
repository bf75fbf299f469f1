import { DurableObject } from 'cloudflare:workers';
import {
  type AttentionAnswer,
  type AttentionItem,
  type Budget,
  type BudgetDefaults,
  type BudgetState,
  FilepathError,
  type Memory,
  type MemoryId,
  type MemoryPatch,
  type MemoryScope,
  type MemoryStored,
  newThreadId,
  type Node,
  type Rule,
  type SessionId,
  type ThreadId,
  type UsageTotals,
} from '@filepath/protocol';
import type { Env } from '../env.ts';
import { learnSecretsOfProviders, secretsAreLearnt } from '../gateway/memory.ts';
import { standing } from '../gateway/standing.ts';
import { encodingOf, jsonPage } from '../feed/feed-request.ts';
import { SseReaders } from '../feed/sse.ts';
import { newcomer, Viewers, type ViewerSocket } from '../feed/viewers.ts';
import { attempt, notFound, type Result } from '../result.ts';
import { acceptSocket, answerClose, attachmentOf, textOf, ViewerSockets } from '../sockets.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { LeaseReport } from '../session/ledger/lease.ts';
import type { Amount, Limit } from '../session/ledger/money.ts';
import type { AskedNote } from '../thread/asked.ts';
import { nodeHashing } from '../thread/node-hashing.ts';
import { Claims } from './claims.ts';
import { Rules, type Ruled } from './rules.ts';
import type { Listing, Memories, SaidMemory } from './memory/memories.ts';
import type { NewMemory } from './memory/memory-row.ts';
import { openMemories } from './memory/open.ts';
import type { Sight } from './memory/sight.ts';
import { USER_MIGRATIONS } from './schema.ts';
import { type Holder, UserLedger } from './user-ledger.ts';
import { Waiting } from './waiting.ts';
import type { WaitingRow } from './waiting-row.ts';

type Attention = { waiting: Waiting; viewers: Viewers<ViewerSocket>; readers: SseReaders };

/** `createdAt` is null until the chat knows whose it is. */
export type ChatPlace = { readonly id: ThreadId; readonly createdAt: string | null };

/** One user: what waits for this person, the rules that answer for them, the budget for all sessions, and what is remembered. */
export class UserObject extends DurableObject<Env> {
  #sql: Sql;
  #sockets = new ViewerSockets();
  #claims = new Claims(Date.now);
  #opened: Attention | null = null;
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

  attend(session: SessionId, name: string, nodes: readonly Node[], at: string): void {
    this.#change((waiting) => waiting.attend(session, name, nodes, at));
  }

  /** What a thread asks. What a rule answers is given back, and waits for nobody. */
  asked(note: AskedNote): Ruled[] {
    return this.#change((waiting) => {
      const answers = new Rules(this.#sql).answers(note);
      const ruled = new Set(answers.map(({ id }) => id));
      waiting.asked({ ...note, open: note.open.filter(({ id }) => !ruled.has(id)) });
      return answers;
    });
  }

  forget(session: SessionId): void {
    if (isFresh(this.#sql)) return;
    this.#change((waiting) => waiting.forget(session));
    new Rules(this.#sql).forget(session);
    this.#memories.forgetSession(session);
  }

  attention(): AttentionItem[] {
    return isFresh(this.#sql) ? [] : this.#attention().waiting.list();
  }

  /** What is about to be answered: for a while nobody else can. */
  beginAnswer(id: string, { choice, scope = 'once' }: AttentionAnswer): Result<WaitingRow> {
    return attempt(() => {
      const row = isFresh(this.#sql) ? null : this.#attention().waiting.find(id);
      if (row === null) throw notFound('this');
      if (row.open === 0) {
        const how = row.choice === null ? 'it waits no more' : `the answer was ${row.choice}`;
        throw new FilepathError('conflict', `this was answered already: ${how}`);
      }
      const choices = JSON.parse(row.choices) as string[];
      if (!choices.includes(choice)) {
        throw new FilepathError('bad_request', 'this is none of the choices', [
          { path: 'choice', reason: `expected one of ${choices.join(', ').slice(0, 500)}` },
        ]);
      }
      if (scope !== 'once') new Rules(this.#sql).check(scope, row);
      this.#claims.take(id, choice);
      return row;
    });
  }

  /** It was answered, or could not be. */
  async endAnswer(
    row: WaitingRow,
    { choice, scope = 'once' }: AttentionAnswer,
    done: boolean,
  ): Promise<void> {
    this.#claims.give(row.id);
    if (!done) return;
    this.#change((waiting) => waiting.answered(row.id, choice));
    if (scope === 'once') return;
    const rules = new Rules(this.#sql);
    rules.add(crypto.randomUUID(), scope, row, choice, new Date().toISOString());
    // An agent that has its answer may have asked the same again before the rule was stored.
    for (const since of this.#attention().waiting.equalAfter(row)) {
      const thread = this.env.THREAD.getByName(since.thread);
      for (const answer of rules.answersWaiting(since)) await thread.decideByRule(answer);
    }
  }

  rules(): Rule[] {
    return isFresh(this.#sql) ? [] : new Rules(this.#sql).list();
  }

  removeRule(id: string): Result<null> {
    return attempt(() => {
      if (isFresh(this.#sql)) throw notFound('this rule');
      new Rules(this.#sql).remove(id);
      return null;
    });
  }

  page(_user: string, after: number, limit: number): Result<string> {
    return attempt(() => jsonPage(this.#attention().waiting, after, limit));
  }

  /** The object is its user's own. */
  allows(_user: string): boolean {
    return true;
  }

  override async fetch(request: Request): Promise<Response> {
    const { viewers, readers } = this.#attention();
    const after = Number(new URL(request.url).searchParams.get('after'));
    if (encodingOf(request) === 'sse') return readers.open(after);
    const { response, server } = acceptSocket(this.ctx, {
      kind: 'viewer',
      memory: newcomer(after),
    });
    viewers.join(this.#sockets.of(server), after);
    return response;
  }

  override webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): void {
    this.#attention().viewers.receive(this.#sockets.of(ws), textOf(message));
  }

  override webSocketClose(ws: WebSocket, code: number): void {
    answerClose(ws, code);
    this.#attention().viewers.leave(this.#sockets.of(ws));
  }

  override webSocketError(ws: WebSocket): void {
    this.#attention().viewers.leave(this.#sockets.of(ws));
  }

  /** What a session may use of the budget. What others hold and do not need is called back first, if that takes it. */
  async lease(session: Holder, report: LeaseReport, want: Amount, takes = false): Promise<Limit> {
    const ledger = this.#ledger();
    if (!ledger.covers(session, want)) await this.#recall(ledger.holders(true, session), false);
    return ledger.lease(session, report, want, takes);
  }

  report(session: Holder, report: LeaseReport, over: boolean): void {
    this.#ledger().report(session, report, over);
  }

  budget(): BudgetState {
    return this.#ledger().state();
  }

  budgetDefaults(): BudgetDefaults {
    return this.#ledger().defaults;
  }

  setBudgetDefaults(defaults: BudgetDefaults): BudgetDefaults {
    const ledger = this.#ledger();
    ledger.defaults = defaults;
    return ledger.defaults;
  }

  usages(): { session: string; usage: UsageTotals }[] {
    return this.#ledger().usages();
  }

  /** From then on it holds: every session asks anew before its next call. `raised`: the key of an answer. */
  async setBudget(budget: Budget, raised?: string): Promise<Result<BudgetState>> {
    const ledger = this.#ledger();
    for (const chat of ledger.chats()) standing.revoke(chat);
    ledger.setBudget(budget);
    const failed = await this.#recall(ledger.holders(false, null), true, raised);
    return attempt(() => {
      if (failed === 0) return ledger.state();
      throw new FilepathError(
        'unavailable',
        `the budget is stored, but ${failed} sessions could not be told: send it again`,
      );
    });
  }

  /** How many could not be reached: what they hold stays theirs. */
  async #recall(holders: readonly SessionId[], anew: boolean, raised?: string): Promise<number> {
    const told = await Promise.allSettled(
      holders.map(async (holder) => {
        const report = await this.env.SESSION.getByName(holder).recall(anew, raised);
        if (report) this.#ledger().report(holder, report, true);
      }),
    );
    return told.filter(({ status }) => status === 'rejected').length;
  }

  /** The user's one chat; null until it was asked for. */
  liteclaw(): ChatPlace | null {
    return isFresh(this.#sql) ? null : readValue<ChatPlace>(this.#sql, 'liteclaw');
  }

  /** Its id is chosen once, whoever asks at the same time. */
  spawnLiteclaw(): ChatPlace {
    migrate(this.#sql, USER_MIGRATIONS);
    const known = this.liteclaw();
    if (known) return known;
    const place: ChatPlace = { id: newThreadId(), createdAt: null };
    writeValue(this.#sql, 'liteclaw', place);
    return place;
  }

  liteclawReady(createdAt: string): ChatPlace {
    const place: ChatPlace = { ...this.spawnLiteclaw(), createdAt };
    writeValue(this.#sql, 'liteclaw', place);
    return place;
  }

  /** Makes another chat the user's one, if that which it takes the place of is still `from`. */
  adoptLiteclaw(from: string | null, place: ChatPlace): Result<ChatPlace> {
    return attempt(() => {
      migrate(this.#sql, USER_MIGRATIONS);
      const known = this.liteclaw()?.id ?? null;
      if (known !== from && known !== place.id)
        throw new FilepathError('conflict', 'Another LiteClaw was made meanwhile. Try again.');
      writeValue(this.#sql, 'liteclaw', place);
      return place;
    });
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

  #change<T>(work: (waiting: Waiting) => T): T {
    const { waiting, viewers, readers } = this.#attention();
    const result = work(waiting);
    const items = waiting.takeTouched();
    viewers.publish(items);
    if (items.length > 0) readers.wake();
    return result;
  }

  #attention(): Attention {
    if (this.#opened !== null) return this.#opened;
    migrate(this.#sql, USER_MIGRATIONS);
    const waiting = new Waiting(this.#sql, nodeHashing.sha256);
    const viewers = new Viewers<ViewerSocket>(waiting, () => []);
    for (const ws of this.ctx.getWebSockets('viewer')) {
      const attachment = attachmentOf(ws);
      if (attachment?.kind === 'viewer') viewers.restore(this.#sockets.of(ws), attachment.memory);
    }
    this.#opened = { waiting, viewers, readers: new SseReaders(waiting) };
    return this.#opened;
  }

  #ledger(): UserLedger {
    migrate(this.#sql, USER_MIGRATIONS);
    return new UserLedger(this.#sql);
  }
}
