import { DurableObject } from 'cloudflare:workers';
import {
  type AgentMemoryCreate,
  type BudgetPut,
  type BudgetState,
  type CallId,
  type Child,
  type Children,
  type ChildrenWait,
  FilepathError,
  type MemoryStored,
  type MergeInto,
  type Node,
  type NodeBudgetPut,
  type NodeBudgetState,
  type NodeCreate,
  type NodePatch,
  type ResolveBy,
  type Session as SessionResource,
  type SessionCreate,
  type SessionId,
  type SnapshotSource,
  type SpawnCreate,
  type ThreadId,
  type Tree,
} from '@filepath/protocol';
import { knownAgents } from '../catalog/known-agents.ts';
import { openDb } from '../db/client.ts';
import { deleteSessionIndex, writeSessionIndex } from '../db/index-writer.ts';
import type { Env } from '../env.ts';
import { encodingOf, jsonPage } from '../feed/feed-request.ts';
import { SseReaders } from '../feed/sse.ts';
import { newcomer, Viewers, type ViewerSocket } from '../feed/viewers.ts';
import type { Ask, Bearer, Grant, Ledger, Outcome, RouteRefusal } from '../gateway/contract.ts';
import { standing } from '../gateway/standing.ts';
import { attempt, attemptLater, notFound, type Result } from '../result.ts';
import { Serial } from '../serial.ts';
import { acceptSocket, answerClose, attachmentOf, textOf, ViewerSockets } from '../sockets.ts';
import type { Alarms } from '../storage/alarms.ts';
import { durableAlarms } from '../storage/durable-alarms.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { ThreadNote } from '../thread/delivery.ts';
import type { StatusNote, WishNote } from '../thread/outbox.ts';
import { nodeHashing } from '../thread/node-hashing.ts';
import { isUnmetered } from './admission.ts';
import { newAgentKey } from './agent-key.ts';
import { Bringing, type MergePlan } from './bringing.ts';
import { capsOf } from './caps.ts';
import { nodeBudget, sessionBudget, setNodeBudget, setSessionBudget } from './ledger/budgets.ts';
import { SESSION } from './ledger/accounts.ts';
import { LedgerDesk } from './ledger/desk.ts';
import type { LeaseReport } from './ledger/lease.ts';
import { TreeLedger } from './ledger/ledger.ts';
import { limitOf } from './ledger/money.ts';
import { isMove } from './moves.ts';
import { type MemoryView, rememberFor, viewOf } from './memory-desk.ts';
import { MemoryNotes } from './memory-notes.ts';
import { inventName } from './names.ts';
import { Notices } from './notices.ts';
import { Family, type Answered } from './family.ts';
import { SESSION_MIGRATIONS } from './schema.ts';
import {
  type Given,
  openSession,
  type Session,
  type SessionDeps,
  type SessionMeta,
} from './session.ts';
import { SessionWork } from './session-work.ts';
import { Starting } from './starting.ts';
import { LOCAL_RUNNER } from '../runner/local-runner.ts';
import { TreeFeed } from './tree-feed.ts';
import { Waits } from './waits.ts';
import { Waking } from './waking.ts';

const RETRY_MS = 1000;
const INDEX_MS = 1000;
/** How often it is looked whether what an agent waited for is to be told after all. */
const HELD_MS = 5000;
/** How long an agent that stops a child waits for its end. */
const STOPPED_SECONDS = 5;

/** What goes down the tree. */
type TreeSignal = 'stop' | 'pause' | 'resume';

type Parts = {
  session: Session;
  ledger: TreeLedger;
  desk: LedgerDesk;
  work: SessionWork;
  starting: Starting;
  bringing: Bringing;
  waking: Waking;
  feed: TreeFeed;
  viewers: Viewers<ViewerSocket>;
  readers: SseReaders;
};

/** One session. Wiring only: the behaviour is in `Session`, `SessionWork` and `LedgerDesk`. */
export class SessionObject extends DurableObject<Env> implements Ledger {
  #sql: Sql;
  #deps: SessionDeps;
  #alarms: Alarms;
  #sockets = new ViewerSockets();
  #settling = new Serial();
  #startingTurn = new Serial();
  #indexing = new Serial();
  #waits = new Waits(Date.now, () => this.#waitOpened());
  #parts: Parts | null = null;
  /** Deleted: nobody sees it any more, and what is left to do is done. */
  #deleted = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#deps = {
      sql: this.#sql,
      now: Date.now,
      newKey: (node) => newAgentKey(ctx.id, node),
      keyHash: nodeHashing.sha256,
      caps: capsOf(env),
      revoke: () => standing.revoke(this.#parts?.session.meta.id ?? ctx.id.name ?? null),
      waiting: () => this.#waits.parents(),
    };
    this.#alarms = durableAlarms(ctx, this.#sql, env);
    if (isFresh(this.#sql)) return;
    migrate(this.#sql, SESSION_MIGRATIONS);
    this.#open();
  }

  async create(
    id: SessionId,
    owner: string,
    create: SessionCreate,
    snapshot: SnapshotSource | null,
  ): Promise<Result<{ session: SessionResource; node: Node | null }>> {
    const given = await this.#given(owner, create.root?.agentType);
    const result = attempt(() => {
      migrate(this.#sql, SESSION_MIGRATIONS);
      const at = new Date().toISOString();
      const meta: SessionMeta = {
        id,
        owner,
        name: create.name ?? inventName(),
        gitRepoUrl: create.gitRepoUrl ?? null,
        createdAt: at,
        updatedAt: at,
        head: 1,
        changeSeq: 1,
        started: false,
        stopped: false,
      };
      writeValue(this.#sql, 'session', meta);
      try {
        const { session } = this.#open() ?? unreachable();
        if (create.budget) session.accounts.limit(SESSION, limitOf(create.budget));
        const node = create.root ? session.addNode(create.root, snapshot, given) : null;
        return { session: session.resource(), node };
      } catch (error) {
        this.#parts = null;
        this.#sql.run(`DELETE FROM meta WHERE key = 'session'`);
        throw error;
      }
    });
    if (result.ok) await this.#changed();
    return result;
  }

  tree(user: string): Result<Tree> {
    return attempt(() => this.#for(user).session.tree());
  }

  async rename(user: string, name: string): Promise<Result<SessionResource>> {
    return this.#change(user, (session) => {
      session.rename(name);
      return session.resource();
    });
  }

  async addNode(
    user: string,
    create: NodeCreate,
    snapshot: SnapshotSource | null,
  ): Promise<Result<Node>> {
    const given = await this.#given(user, create.agentType);
    return this.#change(user, (session) => session.addNode(create, snapshot, given));
  }

  /** What is asked for is done whole or not at all. Answers with the node as it is then. */
  async patchNode(
    user: string,
    id: ThreadId,
    patch: NodePatch,
    action: TreeSignal | null,
  ): Promise<Result<Node>> {
    const agentType = this.#parts?.session.nodes.find(id)?.agent_type;
    const given = await this.#given(user, agentType);
    const changed = await this.#change(user, (session) => {
      const { ledger, bringing } = this.#for(user);
      if (action === 'resume') session.checkResume(id);
      // What is reserved must be in the tables: it settles where it was reserved.
      ledger.write();
      const before = session.nodes.find(id)?.parent_id;
      const node = session.patchNode(id, patch, given);
      if (isMove(patch)) ledger.unblock(session.nodes.subtree(id).map((row) => row.id));
      if (node.parentId !== before) bringing.moved(id);
      if (action === 'stop') session.halt(id);
      else if (action === 'pause') session.pause(id, { by: 'user', reason: null, until: null });
      else if (action === 'resume') session.resume(id);
      return session.node(id);
    });
    if (!changed.ok || action === null) return changed;
    // Its thread has the signal; its word for it may still be on its way.
    const status = await this.env.THREAD.getByName(id)
      .status()
      .catch(() => null);
    return attempt(() => {
      const { session } = this.#for(user);
      if (status) session.noteStatus(id, status);
      this.#announce();
      return session.node(id);
    });
  }

  /** Stops a node and everything below it; all of the tree when no node is named. */
  async stop(user: string, id: ThreadId | null): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.halt(id);
      return null;
    });
  }

  /** Holds a node and everything below it still; all of the tree when no node is named. */
  async pause(
    user: string,
    id: ThreadId | null,
    pause: { reason: string | null; until: string | null },
  ): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.pause(id, { by: 'user', ...pause });
      return null;
    });
  }

  async resume(user: string, id: ThreadId | null): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.resume(id);
      return null;
    });
  }

  async removeNode(user: string, id: ThreadId): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.drop(id);
      this.#parts?.bringing.forget();
      return null;
    });
  }

  async remove(user: string): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.drop(null);
      writeValue(this.#sql, 'deleted', true);
      this.#deleted = true;
      this.#deps.revoke();
      this.#parts?.viewers.close('{"t":"deleted"}', 1000, 'deleted');
      this.#parts?.readers.end();
      return null;
    });
  }

  async reserve(ask: Ask): Promise<Grant> {
    if (!this.#parts || this.#deleted) return { ok: false, code: 'bad_key' };
    return this.#parts.desk.reserve(ask);
  }

  async renew(call: CallId): Promise<void> {
    this.#parts?.desk.renew(call);
  }

  async settle(call: CallId, outcome: Outcome): Promise<void> {
    await this.#parts?.desk.settle(call, outcome);
  }

  async check(ask: Bearer): Promise<boolean> {
    return !this.#deleted && (this.#parts?.desk.check(ask) ?? false);
  }

  /** The direct children of the node whose key this is. */
  childrenOf(bearer: Bearer): Result<Answered<Children>> {
    return attempt(() => this.#familyOf(bearer).list());
  }

  /** Whether the node whose key this is has this child. */
  hasChild(bearer: Bearer, child: ThreadId): Result<null> {
    return attempt(() => this.#familyOf(bearer).check(child));
  }

  /** Its parent is answered with a child's thread up to here. */
  showsChild(bearer: Bearer, child: ThreadId, seq: number): Result<Answered<null>> {
    return attempt(() => this.#familyOf(bearer).shows(child, seq));
  }

  /** The agent has got an answer. */
  hasAnswer(bearer: Bearer, handed: string): Result<null> {
    return attempt(() => this.#familyOf(bearer).has(handed));
  }

  /** Its parent has said something to a child, at this seq. */
  childTold(bearer: Bearer, child: ThreadId, seq: number): Result<null> {
    return attempt(() => this.#familyOf(bearer).told(child, seq));
  }

  async spawn(bearer: Bearer, wish: SpawnCreate): Promise<Result<Child>> {
    const asked = attempt(() => this.#familyOf(bearer).agentTypeOf(wish));
    if (!asked.ok) return asked;
    const owner = this.#parts?.session.meta.owner ?? '';
    const given = await this.#given(owner, asked.value);
    const made = attempt(() => this.#familyOf(bearer).spawn(wish, given));
    if (made.ok) await this.#changed();
    return made;
  }

  /** `id`: by which it can be broken off. */
  async waitForChildren(
    bearer: Bearer,
    wait: ChildrenWait,
    id?: string,
  ): Promise<Result<Answered<Children>>> {
    return attemptLater(() => this.#familyOf(bearer).wait(wait, id));
  }

  /** Whoever waited has left. */
  breakOffWait(bearer: Bearer, id: string): Result<null> {
    const broken = attempt(() => this.#familyOf(bearer).breakOff(id));
    if (broken.ok) this.#announce();
    return broken;
  }

  /** Stops a child with everything below it; answers when it has stopped, or a little later. */
  async stopChild(
    bearer: Bearer,
    child: ThreadId,
    id: string,
  ): Promise<Result<Answered<Children>>> {
    const halted = attempt(() => this.#familyOf(bearer).halt(child));
    if (!halted.ok) return halted;
    await this.#changed();
    return this.waitForChildren(bearer, { children: [child], seconds: STOPPED_SECONDS }, id);
  }

  /** From where the node whose key this is looks at what is remembered. */
  memoryView(bearer: Bearer): Result<MemoryView> {
    return attempt(() => viewOf(this.#held(bearer), bearer.thread));
  }

  async remember(bearer: Bearer, create: AgentMemoryCreate): Promise<Result<MemoryStored>> {
    const held = attempt(() => this.#held(bearer));
    return held.ok ? rememberFor(held.value, this.env, bearer, create) : held;
  }

  /** Where a node's work is merged. */
  mergeTarget(user: string, id: ThreadId, into: MergeInto | undefined): Result<MergePlan> {
    return attempt(() => this.#for(user).bringing.target(id, into));
  }

  /** The same for the node whose key this is, and its direct children. */
  mergeTargetFor(bearer: Bearer, id: ThreadId, into: MergeInto | undefined): Result<MergePlan> {
    return attempt(() => {
      if (!this.#parts || this.#deleted || !this.#parts.desk.check(bearer)) throw badKey();
      const { session, bringing } = this.#parts;
      if (session.nodes.find(id)?.parent_id !== bearer.thread) throw notFound('this child');
      return bringing.target(id, into);
    });
  }

  /** The name of the session's own branch. */
  branch(user: string): Result<string> {
    return attempt(() => this.#for(user).bringing.branch());
  }

  /** Says who has it as a task now. `once`: the key of an answer to a conflict that nobody has as a task. */
  async resolveConflict(
    user: string,
    id: ThreadId,
    by: ResolveBy,
    once?: string,
  ): Promise<Result<ThreadId>> {
    const kind = by === 'new' ? attempt(() => this.#for(user).bringing.handing.kindFor(id)) : null;
    if (kind && !kind.ok) return kind;
    const given = kind === null ? undefined : await this.#given(user, kind.value);
    return this.#change(user, () => {
      const key = once ?? crypto.randomUUID();
      const how = { by, once: once !== undefined, ...(given && { given }) };
      return this.#for(user).bringing.handing.resolve(id, key, how);
    });
  }

  /** Where the merge goes that met the node's conflict. */
  mergeAgain(user: string, id: ThreadId): Result<MergePlan> {
    return attempt(() => this.#for(user).bringing.targetAgain(id));
  }

  /** Puts a conflict away. */
  async leaveConflict(user: string, id: ThreadId): Promise<Result<null>> {
    return this.#change(user, () => {
      this.#for(user).bringing.handing.leave(id);
      return null;
    });
  }

  async refused(ask: Ask, refusal: RouteRefusal): Promise<boolean> {
    return !this.#deleted && (this.#parts?.desk.refused(ask, refusal) ?? false);
  }

  /** For the user's ledger. Null: there is no session, and nothing of it was used. `raised`: as with `setBudget`. */
  recall(anew: boolean, raised?: string): LeaseReport | null {
    const parts = this.#parts;
    if (!parts) return null;
    if (raised === undefined || this.#deleted) return parts.desk.recall(anew);
    const stuck = parts.waking.stuck(null);
    const report = parts.desk.recall(anew);
    parts.waking.wake(stuck, raised);
    this.#announce();
    return report;
  }

  budget(user: string): Result<BudgetState> {
    return attempt(() => sessionBudget(this.#for(user)));
  }

  nodeBudget(user: string, id: ThreadId): Result<NodeBudgetState> {
    return attempt(() => nodeBudget(this.#for(user), id));
  }

  /** `raised`: the key of an answer. Those that ended for want of budget go on. */
  async setBudget(user: string, put: BudgetPut, raised?: string): Promise<Result<BudgetState>> {
    const { entries } = await knownAgents(this.env);
    return this.#change(user, () =>
      this.#raise(null, raised, () => setSessionBudget(this.#for(user), put, entries)),
    );
  }

  async setNodeBudget(
    user: string,
    id: ThreadId,
    put: NodeBudgetPut,
    raised?: string,
  ): Promise<Result<NodeBudgetState>> {
    const { entries } = await knownAgents(this.env);
    return this.#change(user, () =>
      this.#raise(id, raised, () => setNodeBudget(this.#for(user), id, put, entries)),
    );
  }

  #raise<T>(id: ThreadId | null, raised: string | undefined, set: () => T): T {
    const { waking } = this.#parts ?? {};
    const stuck = raised === undefined ? [] : (waking?.stuck(id) ?? []);
    const state = set();
    waking?.wake(stuck, raised ?? '');
    return state;
  }

  /** What a thread's outbox brings. */
  async note(thread: ThreadId, item: ThreadNote): Promise<void> {
    const owner = this.#parts?.session.meta.owner;
    const given =
      item.kind === 'spawn' && owner ? await this.#given(owner, item.note.agent) : undefined;
    if (!this.#parts || this.#deleted) return;
    const { session } = this.#parts;
    if (item.kind === 'status') this.#noteStatus(this.#parts, thread, item.note);
    else if (item.kind === 'wish') this.#noteWish(this.#parts, thread, item.note);
    else if (item.kind === 'touched') this.#parts.bringing.noteTouched(thread, item.note);
    else if (item.kind === 'merge') this.#parts.bringing.noteMerge(thread, item.note);
    else if (item.kind === 'merge_failed') this.#parts.bringing.noteMergeFailed(thread);
    else if (item.kind === 'result') {
      session.results.note(thread, item.note);
      this.#parts.bringing.ended(thread, item.note.seq);
    } else if (item.kind === 'limit') session.noteLimit(thread, item.note);
    else if (item.kind === 'memory')
      new MemoryNotes(session, this.#sql, this.env).put(thread, item.note);
    else if (given) session.noteSpawn(thread, item.note, given);
    this.#announce();
  }

  page(user: string, after: number, limit: number): Result<string> {
    return attempt(() => jsonPage(this.#for(user).feed, after, limit));
  }

  allows(user: string): boolean {
    return !this.#deleted && this.#parts?.session.meta.owner === user;
  }

  override async fetch(request: Request): Promise<Response> {
    const parts = this.#parts;
    if (!parts || this.#deleted) return new Response(null, { status: 404 });
    const after = Number(new URL(request.url).searchParams.get('after'));
    if (encodingOf(request) === 'sse') return parts.readers.open(after);
    const { response, server } = acceptSocket(this.ctx, {
      kind: 'viewer',
      memory: newcomer(after),
    });
    parts.viewers.join(this.#sockets.of(server), after);
    return response;
  }

  override webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): void {
    this.#parts?.viewers.receive(this.#sockets.of(ws), textOf(message));
  }

  override webSocketClose(ws: WebSocket, code: number): void {
    answerClose(ws, code);
    this.#parts?.viewers.leave(this.#sockets.of(ws));
  }

  override webSocketError(ws: WebSocket): void {
    this.#parts?.viewers.leave(this.#sockets.of(ws));
  }

  override async alarm(): Promise<void> {
    if (isFresh(this.#sql)) return;
    await this.#alarms.run({
      work: async () => {
        await this.#startGoing();
        await this.#settle();
      },
      index: () => this.#writeIndex(),
      held: () => this.#settle(),
      workers: () => this.#settle(),
      resume: () => this.#resumeDue(),
      ...this.#parts?.desk.alarms,
    });
  }

  #open(): Parts | null {
    const session = openSession(this.#deps);
    if (!session) return null;
    this.#deleted = readValue(this.#sql, 'deleted') === true;
    const feed = new TreeFeed(session);
    const viewers = new Viewers<ViewerSocket>(feed, () => []);
    const work = new SessionWork(session, this.#waits, this.#sql, this.env);
    const starting = new Starting(session, this.env);
    const bringing = new Bringing(session, this.#sql);
    const { ledger, desk } = this.#openLedger(session);
    this.#parts = {
      session,
      ledger,
      desk,
      work,
      starting,
      bringing,
      waking: new Waking(session, new Notices(this.#sql)),
      feed,
      viewers,
      readers: new SseReaders(feed),
    };
    for (const ws of this.ctx.getWebSockets('viewer')) {
      const attachment = attachmentOf(ws);
      if (attachment?.kind === 'viewer') viewers.restore(this.#sockets.of(ws), attachment.memory);
    }
    return this.#parts;
  }

  #openLedger(session: Session): { ledger: TreeLedger; desk: LedgerDesk } {
    const { sql, now, keyHash, revoke } = this.#deps;
    const ledger = new TreeLedger({
      sql,
      now,
      keyHash,
      session: session.meta.id,
      runner: LOCAL_RUNNER,
      accounts: session.accounts,
      nodes: session.nodes,
      revoke,
    });
    const desk = new LedgerDesk({
      session,
      ledger,
      env: this.env,
      alarms: this.#alarms,
      now,
      changed: () => this.#announce(),
      inBackground: (work) => this.ctx.waitUntil(work),
    });
    return { ledger, desk };
  }

  /** What a new node is judged by. The user's budget is asked for where an agent could spend past it. */
  async #given(user: string, agentType: string | undefined): Promise<Given> {
    const known = await knownAgents(this.env);
    if (agentType === undefined || !isUnmetered(agentType, known.entries)) {
      return { known, userPays: false };
    }
    const { budget } = await this.env.USER.getByName(user).budget();
    return { known, userPays: budget.usd !== null };
  }

  /** The wish of a start is told before the status that it makes: it is by that that the run begins here. */
  #noteWish({ session, bringing }: Parts, thread: ThreadId, note: WishNote): void {
    const before = session.nodes.find(thread)?.open;
    session.noteWish(thread, note);
    const begins = before === 0 && session.nodes.find(thread)?.open === 1;
    if (begins) bringing.began(thread, `start:${note.epoch}`);
  }

  #noteStatus({ session, bringing }: Parts, thread: ThreadId, note: StatusNote): void {
    const before = session.nodes.find(thread)?.open;
    session.noteStatus(thread, note);
    if (before === 0 && session.nodes.find(thread)?.open === 1)
      bringing.began(thread, String(note.seq));
    bringing.rests(thread);
  }

  #familyOf(bearer: Bearer): Family {
    return new Family(this.#held(bearer), this.#waits, bearer.thread);
  }

  /** For whoever holds the key of a node. */
  #held(bearer: Bearer): Session {
    if (!this.#parts || this.#deleted || !this.#parts.desk.check(bearer)) throw badKey();
    return this.#parts.session;
  }

  #for(user: string): Parts {
    if (!this.#parts || !this.allows(user)) throw notFound('this session');
    return this.#parts;
  }

  /** A change that a person asked for is carried out when it is answered, and in the index if that is in reach. */
  async #change<T>(user: string, work: (session: Session) => T): Promise<Result<T>> {
    const result = attempt(() => work(this.#for(user).session));
    if (result.ok) await this.#changed();
    return result;
  }

  async #changed(): Promise<void> {
    this.#announce();
    await this.#settle();
    // The index is no part of the change: where it cannot be written, the alarm writes it later.
    await this.#writeIndex().catch(() => undefined);
  }

  #announce(): void {
    const parts = this.#parts;
    if (!parts) return;
    const items = parts.session.takeTouched();
    parts.viewers.publish(items);
    if (items.length > 0) parts.readers.wake();
    this.#waits.check();
    // Set in the same turn as the change, so that both are committed together.
    this.#alarms.schedule('index', Date.now() + INDEX_MS);
    this.#alarms.schedule('work', Date.now() + RETRY_MS);
    const resume = parts.session.nextResume();
    if (resume !== null) this.#alarms.schedule('resume', resume);
    this.ctx.waitUntil(this.#startGoing().catch(() => undefined));
    this.ctx.waitUntil(this.#settle().catch(() => undefined));
  }

  #waitOpened(): void {
    const { session } = this.#parts ?? {};
    if (!session || session.starts.isEmpty) return;
    session.freeSlot();
    this.#announce();
  }

  async #resumeDue(): Promise<void> {
    this.#parts?.session.resumeDue();
    this.#announce();
  }

  #settle(): Promise<void> {
    return this.#settling.run(async () => {
      await this.#parts?.work.settle();
      // One that was paused may go when its thread knows that it is not any more.
      if (this.#parts?.starting.settled === false) {
        this.ctx.waitUntil(this.#startGoing().catch(() => undefined));
      }
      this.#endWork();
      this.#alarms.cancel('workers');
      const next = this.#parts?.session.workersTold.next() ?? null;
      if (next !== null) this.#alarms.schedule('workers', next);
      this.#alarms.cancel('held');
      if (this.#parts?.work.held === true) this.#alarms.schedule('held', Date.now() + HELD_MS);
    });
  }

  /** Starts wait for no other work of the session. */
  #startGoing(): Promise<void> {
    return this.#startingTurn.run(async () => {
      await this.#parts?.starting.settle();
      this.#endWork();
    });
  }

  /** What came meanwhile keeps its alarm. */
  #endWork(): void {
    const { work, starting } = this.#parts ?? {};
    if (work?.settled !== false && starting?.settled !== false) this.#alarms.cancel('work');
  }

  /** One at a time: the last one to run writes what is true then. */
  #writeIndex(): Promise<void> {
    return this.#indexing.run(async () => {
      if (!this.#parts) return;
      const { session } = this.#parts;
      const { id, owner } = session.meta;
      const db = openDb(this.env);
      const user = this.env.USER.getByName(owner);
      if (this.#deleted) {
        await deleteSessionIndex(db, id);
        await user.forget(id);
        return;
      }
      const at = new Date().toISOString();
      const { session: resource, nodes } = session.tree();
      const gone = session.nodes.gone();
      await writeSessionIndex(db, { ...resource, userId: owner }, nodes, gone);
      await user.attend(id, resource.name, nodes, at);
    });
  }
}

function unreachable(): never {
  throw new Error('a session that was just written could not be read');
}

const badKey = (): FilepathError =>
  new FilepathError('unauthenticated', 'This is no key of this agent.');
