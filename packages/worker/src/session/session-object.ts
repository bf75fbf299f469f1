import { DurableObject } from 'cloudflare:workers';
import {
  type BudgetPut,
  type BudgetState,
  type CallId,
  FilepathError,
  type Node,
  type NodeBudgetPut,
  type NodeBudgetState,
  type NodeCreate,
  type NodePatch,
  type Session as SessionResource,
  type SessionCreate,
  type SessionId,
  type SnapshotSource,
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
import { attempt, notFound, type Result } from '../result.ts';
import { Serial } from '../serial.ts';
import { acceptSocket, answerClose, attachmentOf, textOf, ViewerSockets } from '../sockets.ts';
import type { Alarms } from '../storage/alarms.ts';
import { durableAlarms } from '../storage/durable-alarms.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { ThreadNote } from '../thread/delivery.ts';
import { nodeHashing } from '../thread/node-hashing.ts';
import { isUnmetered } from './admission.ts';
import { newAgentKey } from './agent-key.ts';
import { capsOf } from './caps.ts';
import { nodeBudget, sessionBudget, setNodeBudget, setSessionBudget } from './ledger/budgets.ts';
import { SESSION } from './ledger/accounts.ts';
import { LedgerDesk } from './ledger/desk.ts';
import type { LeaseReport } from './ledger/lease.ts';
import { TreeLedger } from './ledger/ledger.ts';
import { limitOf } from './ledger/money.ts';
import { inventName } from './names.ts';
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

const RETRY_MS = 1000;
const INDEX_MS = 1000;

type Parts = {
  session: Session;
  ledger: TreeLedger;
  desk: LedgerDesk;
  work: SessionWork;
  starting: Starting;
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

  async patchNode(user: string, id: ThreadId, patch: NodePatch): Promise<Result<Node>> {
    const known = await knownAgents(this.env);
    return this.#change(user, (session) => session.patchNode(id, patch, known));
  }

  /** Stops a node and everything below it; all of the tree when no node is named. */
  async stop(user: string, id: ThreadId | null): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.halt(id);
      return null;
    });
  }

  async removeNode(user: string, id: ThreadId): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.drop(id);
      return null;
    });
  }

  async remove(user: string): Promise<Result<null>> {
    return this.#change(user, (session) => {
      session.drop(null);
      writeValue(this.#sql, 'deleted', true);
      this.#deleted = true;
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
  childrenOf(bearer: Bearer): Result<Node[]> {
    return attempt(() => {
      if (!this.#parts || this.#deleted || !this.#parts.desk.check(bearer)) throw badKey();
      const { nodes } = this.#parts.session.tree();
      return nodes.filter(({ parentId }) => parentId === bearer.thread);
    });
  }

  async refused(ask: Ask, refusal: RouteRefusal): Promise<boolean> {
    return !this.#deleted && (this.#parts?.desk.refused(ask, refusal) ?? false);
  }

  /** For the user's ledger. Null: there is no session, and nothing of it was used. */
  recall(anew: boolean): LeaseReport | null {
    return this.#parts?.desk.recall(anew) ?? null;
  }

  budget(user: string): Result<BudgetState> {
    return attempt(() => sessionBudget(this.#for(user)));
  }

  nodeBudget(user: string, id: ThreadId): Result<NodeBudgetState> {
    return attempt(() => nodeBudget(this.#for(user), id));
  }

  async setBudget(user: string, put: BudgetPut): Promise<Result<BudgetState>> {
    const { entries } = await knownAgents(this.env);
    return this.#change(user, () => setSessionBudget(this.#for(user), put, entries));
  }

  async setNodeBudget(
    user: string,
    id: ThreadId,
    put: NodeBudgetPut,
  ): Promise<Result<NodeBudgetState>> {
    const { entries } = await knownAgents(this.env);
    return this.#change(user, () => setNodeBudget(this.#for(user), id, put, entries));
  }

  /** What a thread's outbox brings. */
  async note(thread: ThreadId, item: ThreadNote): Promise<void> {
    const owner = this.#parts?.session.meta.owner;
    const given =
      item.kind === 'spawn' && owner ? await this.#given(owner, item.note.agent) : undefined;
    if (!this.#parts || this.#deleted) return;
    const { session } = this.#parts;
    if (item.kind === 'status') session.noteStatus(thread, item.note);
    else if (item.kind === 'wish') session.noteWish(thread, item.note);
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
      ...this.#parts?.desk.alarms,
    });
  }

  #open(): Parts | null {
    const session = openSession(this.#deps);
    if (!session) return null;
    this.#deleted = readValue(this.#sql, 'deleted') === true;
    const feed = new TreeFeed(session);
    const viewers = new Viewers<ViewerSocket>(feed, () => []);
    const work = new SessionWork(session, this.#sql, this.env);
    const starting = new Starting(session, this.env);
    const { ledger, desk } = this.#openLedger(session);
    this.#parts = {
      session,
      ledger,
      desk,
      work,
      starting,
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
    const { sql, now, keyHash } = this.#deps;
    const ledger = new TreeLedger({
      sql,
      now,
      keyHash,
      session: session.meta.id,
      runner: LOCAL_RUNNER,
      accounts: session.accounts,
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
    // Set in the same turn as the change, so that both are committed together.
    this.#alarms.schedule('index', Date.now() + INDEX_MS);
    this.#alarms.schedule('work', Date.now() + RETRY_MS);
    this.ctx.waitUntil(this.#startGoing().catch(() => undefined));
    this.ctx.waitUntil(this.#settle().catch(() => undefined));
  }

  #settle(): Promise<void> {
    return this.#settling.run(async () => {
      await this.#parts?.work.settle();
      this.#endWork();
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
      const { session: resource, nodes } = session.tree();
      const gone = session.nodes.gone();
      await writeSessionIndex(db, { ...resource, userId: owner }, nodes, gone);
      await user.attend(id, resource.name, nodes);
    });
  }
}

function unreachable(): never {
  throw new Error('a session that was just written could not be read');
}

const badKey = (): FilepathError =>
  new FilepathError('unauthenticated', 'This is no key of this agent.');
