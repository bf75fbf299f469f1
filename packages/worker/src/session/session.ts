import {
  cleanName,
  FilepathError,
  newThreadId,
  type Node,
  type NodeCreate,
  type NodePatch,
  type Session as SessionResource,
  type SessionId,
  type SnapshotSource,
  ThreadId,
  type Tree,
} from '@filepath/protocol';
import { BUILT_IN, entryOf, type KnownAgents } from '../catalog/known-agents.ts';
import type { FeedItem } from '../feed/feed-source.ts';
import { notFound } from '../result.ts';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { LimitNote, SpawnNote, StatusNote, WishNote } from '../thread/outbox.ts';
import type { Pause } from '../thread/pause.ts';
import type { ChildState } from '../thread/relay-message.ts';
import { admit, admitSpawn, checkCaps, checkMetered, withNetwork } from './admission.ts';
import type { Caps } from './caps.ts';
import { type Account, Accounts, limitsOf, ownOf, SESSION } from './ledger/accounts.ts';
import { budgetOf, limitOf } from './ledger/money.ts';
import { totalsOf } from './ledger/usage-row.ts';
import { isMove, type Move, type Plan, planMove } from './moves.ts';
import { inventName, slugOf } from './names.ts';
import { configOf, intentRow, type NodeRow, type NodeSpec, toNode, unmask } from './node-row.ts';
import { NodeTable } from './node-table.ts';
import { Results } from './results.ts';
import { checkSpawnBudget } from './spawn-budget.ts';
import { type SpawnWish, wishNote } from './spawn-wish.ts';
import { Partings } from './partings.ts';
import { Pauses } from './pauses.ts';
import { withoutCredentials } from './repository-url.ts';
import { statusOf } from './session-status.ts';
import { Starts } from './starts.ts';
import { stillWorks } from './still-works.ts';
import { shownStatus, WorkersTold } from './workers-told.ts';

export type SessionMeta = {
  id: SessionId;
  owner: string;
  name: string;
  gitRepoUrl: string | null;
  createdAt: string;
  updatedAt: string;
  /** The seq of the newest change of the tree, and of the session itself. */
  head: number;
  changeSeq: number;
  started: boolean;
  stopped: boolean;
  /** The pause of the whole session. */
  pause?: Pause | null;
};

export type SessionDeps = {
  sql: Sql;
  now: () => number;
  newKey: (node: ThreadId) => string;
  keyHash: (key: string) => string;
  caps: Caps;
  /** Calls to models wait for the session's word again. */
  revoke: () => void;
  /** Nodes that wait for their children now; none unless given. */
  waiting?: () => ReadonlySet<string>;
};

/** What a new node is judged by: the agents there are, and whether the user has a budget in money. */
export type Given = { readonly known: KnownAgents; readonly userPays: boolean };

const USUAL: Given = { known: BUILT_IN, userPays: false };

/** What the log of a node's parent shows of it. */
const SHOWN_ABOVE = ['name', 'status', 'reason', 'phase', 'parent_id', 'sort_order'] as const;

const differsAbove = (a: NodeRow, b: NodeRow): boolean =>
  SHOWN_ABOVE.some((key) =>
    key === 'status' ? shownStatus(a.status) !== shownStatus(b.status) : a[key] !== b[key],
  );

/** A session: its tree, and what is still to be told to the tree's threads. */
export class Session {
  readonly nodes: NodeTable;
  readonly accounts: Accounts;
  readonly starts: Starts;
  readonly results: Results;
  readonly workersTold: WorkersTold;
  readonly partings: Partings;
  readonly pauses: Pauses;
  #deps: SessionDeps;
  #meta: SessionMeta;
  #touched: FeedItem[] = [];
  /** Something changed that the line of starts depends on. */
  #lineMoves = true;
  /** Nodes whose completion count may be another now, and those above them. */
  #recount = new Set<string>();
  /** What viewers have of the session itself. */
  #lastShown: string | null = null;

  constructor(deps: SessionDeps, meta: SessionMeta) {
    this.#deps = deps;
    this.#meta = meta;
    this.nodes = new NodeTable(deps.sql, deps.revoke);
    this.accounts = new Accounts(deps.sql, deps.revoke);
    this.starts = new Starts(deps.sql);
    this.results = new Results(deps.sql);
    this.workersTold = new WorkersTold(deps.sql, deps.now);
    this.partings = new Partings(deps.sql);
    this.pauses = new Pauses(deps.sql, this.nodes);
  }

  get meta(): SessionMeta {
    return this.#meta;
  }

  resource(): SessionResource {
    const { id, name, gitRepoUrl, createdAt, updatedAt } = this.#meta;
    const root = this.nodes.firstRoot();
    const account = this.accounts.get(SESSION);
    return {
      id,
      name,
      gitRepoUrl: gitRepoUrl && withoutCredentials(gitRepoUrl),
      status: statusOf(this.#meta, this.nodes),
      rootNodeId: root === null ? null : ThreadId.parse(root),
      nodeCount: this.nodes.count(),
      usage: totalsOf(account),
      budget: budgetOf(limitsOf(account)),
      createdAt,
      updatedAt,
    };
  }

  tree(): Tree {
    const accounts = this.accounts.all();
    const nodes = this.nodes.live().map((row) => this.#toNode(row, accounts));
    return { session: this.resource(), nodes };
  }

  rename(name: string): void {
    this.#change(() => {
      this.#meta.name = name;
    });
  }

  /** `snapshot` is the one that `create` names. */
  addNode(create: NodeCreate, snapshot: SnapshotSource | null = null, given = USUAL): Node {
    const parent = create.parentId ?? null;
    const above = parent === null ? null : this.nodes.find(parent);
    if (parent !== null && !above) throw notFound('the parent node');
    const { known, userPays } = given;
    const config = admit(known, create.agentType, withNetwork(create.config ?? {}, above ?? null));
    const limited = typeof create.budget?.usd === 'number' || this.accounts.moneyAbove(parent);
    checkMetered(create.agentType, config, userPays || limited, known.entries);
    return this.#change(() =>
      this.#insert({
        parent,
        name: create.name ?? inventName(),
        agentType: create.agentType,
        model: create.model || known.modelOf(entryOf(known, create.agentType)),
        config: JSON.stringify(config),
        task: null,
        spawn: null,
        snapshot,
        ...(create.budget && { budget: create.budget }),
      }),
    );
  }

  /** Changes what a node is, and where it stands, at once or not at all. */
  patchNode(id: ThreadId, patch: NodePatch, { known, userPays } = USUAL): Node {
    const row = this.#find(id);
    const config =
      patch.config && admit(known, row.agent_type, unmask(patch.config, configOf(row)));
    if (config) {
      const limited = userPays || this.accounts.moneyOf(id);
      checkMetered(row.agent_type, config, limited, known.entries);
    }
    const plan = isMove(patch) ? this.#planMove(id, patch, known) : null;
    this.#change(() => {
      if (plan) this.#move(plan);
      this.#touch(id, {
        ...(patch.name === undefined ? {} : { name: patch.name }),
        ...(patch.model === undefined ? {} : { model: patch.model }),
        ...(config === undefined ? {} : { config: JSON.stringify(config) }),
        stale: 1,
      });
    });
    return this.node(id);
  }

  node(id: ThreadId): Node {
    return this.#toNode(this.#find(id));
  }

  /** A change of nodes by another part of the session, in one transaction: each that is touched is shown anew. */
  alter<T>(work: (touch: (id: string, change: Partial<NodeRow>) => void) => T): T {
    return this.#change(() => work((id, change) => this.#touch(id, change)));
  }

  /** Nodes whose accounts changed: viewers get them, and the session's own state with them. */
  refresh(ids: readonly string[]): void {
    this.#change(() => {
      for (const id of ids) if (this.nodes.find(id)) this.#touch(id, {});
    }, true);
  }

  /** The newest status of a thread; older ones that arrive late change nothing. */
  noteStatus(thread: string, note: StatusNote): void {
    const row = this.nodes.find(thread);
    if (!row || note.seq <= row.thread_seq) return;
    this.#change(() => {
      // A pause or a stop of what was never asked for anything begins nothing.
      if (note.open || note.status !== 'idle') this.#meta.started = true;
      // A note from before the stop was delivered says nothing about what came after it.
      const since = row.halt === null || (row.halt > 0 && note.seq > row.halt);
      if (!note.stopped && since) this.#meta.stopped = false;
      this.#touch(thread, {
        status: note.status,
        reason: note.reason,
        context_pct: note.contextPct,
        thread_seq: note.seq,
        open: note.open ? 1 : 0,
        stopped: note.stopped ? 1 : 0,
        failed: failedIn(note),
        // What it was refused before the stop is no word on what it is told to do now.
        ...(row.stopped === 1 && !note.stopped ? { blocked: null } : {}),
      });
      if (note.open !== (row.open === 1)) this.#lineMoves = true;
      if (note.status !== row.status) this.#recount.add(thread);
    });
  }

  /** A provider's limit pauses a subtree until it is over, once. A person's own pause stands. */
  noteLimit(thread: string, { seq, reason, until }: LimitNote): void {
    const row = this.nodes.find(thread);
    if (!row || seq <= row.limited) return;
    this.#change(() => {
      this.nodes.update(thread, { limited: seq });
      if (row.halt === 0 || (row.halt ?? 0) > seq || Date.parse(until) <= this.#deps.now()) return;
      const own = row.pause === null ? null : (JSON.parse(row.pause) as Pause);
      if (own !== null && (own.by === 'user' || (own.until ?? '') >= until)) return;
      this.#touch(thread, { pause: JSON.stringify({ by: 'system', reason, until }) });
      this.#spread(thread, 'system');
    });
  }

  /** The direct children of a node, as the tree shows them. */
  childrenOf(id: string): ChildState[] {
    return this.nodes.childrenOf(id).map(({ id: child, name, status, reason, open }) => {
      const state = { id: child, name, status, reason };
      const end = open === 1 ? null : this.results.lastTold(child);
      return end === null ? state : { ...state, words: end.words };
    });
  }

  /** A start that a thread wishes for, or wants no more, once. */
  noteWish(thread: string, note: WishNote): void {
    if (!this.nodes.find(thread)) return;
    this.#change(() => {
      if (this.starts.wish(thread, note)) this.#lineMoves = true;
    });
  }

  /** A parent waits for its children: another may have its slot. */
  freeSlot(): void {
    if (this.starts.isEmpty) return;
    this.#change(() => {
      this.#lineMoves = true;
    });
  }

  /** An agent's wish for a child: one child, or a recorded refusal, however often it is told. */
  noteSpawn(parent: string, note: SpawnNote, given = USUAL): void {
    if (this.nodes.spawnedBy(parent, note.seq) || this.#refused(parent, note.seq)) return;
    try {
      this.#spawn(parent, note, given);
    } catch (error) {
      if (!(error instanceof FilepathError)) throw error;
      this.#deps.sql.run(
        'INSERT INTO refusals (parent, seq, name, reason, told) VALUES (?, ?, ?, ?, 0)',
        parent,
        note.seq,
        note.name,
        error.message,
      );
    }
  }

  /** A child that is asked for by the API: one for each key, or a refusal in words. A person may ask for one of an agent that is stopped. */
  spawn(parent: ThreadId, wish: SpawnWish, given = USUAL, by: 'agent' | 'person' = 'agent'): Node {
    const known = this.nodes.spawnedAs(parent, wish.key);
    if (known && !this.nodes.find(known.id)) {
      throw new FilepathError(
        'conflict',
        `the child ${known.name} that was asked for by this key was deleted by a person: if the work is still to be done, ask for another child by another key`,
      );
    }
    if (known) return this.node(ThreadId.parse(known.id));
    const row = this.nodes.find(parent);
    if (!row) throw notFound('the parent');
    return this.#spawn(parent, wishNote(wish, row, by), given, wish);
  }

  /** Marks a subtree as stopped. Its threads are told after; until then nothing can be spawned in it. */
  halt(id: string | null): void {
    const rows = this.#below(id);
    this.#change(() => {
      for (const row of rows) {
        if (row.pause === null) this.nodes.update(row.id, { halt: 0 });
        else this.#touch(row.id, { halt: 0, pause: null });
      }
      if (id === null) {
        this.#meta.stopped = true;
        this.#meta.pause = null;
      }
      this.#spread(id, 'user');
      this.#lineMoves = true;
    });
  }

  /** The thread has its stop in its log, at this seq. What it wishes for after that may go. */
  halted(id: string, seq: number): void {
    this.#change(() => {
      // The stop has ended its pause: where it still holds, that is told again.
      this.#deps.sql.run(
        'UPDATE nodes SET halt = ?, told = NULL WHERE id = ? AND halt = 0',
        seq,
        id,
      );
      this.#lineMoves = true;
    });
  }

  /** Holds a subtree, or everything, still until it is resumed. Its threads are told after; nothing of it starts from now on. */
  pause(id: string | null, pause: Pause): void {
    if (id !== null) this.#find(id);
    this.#change(() => {
      if (id === null) this.#meta.pause = pause;
      else this.#touch(id, { pause: JSON.stringify(pause) });
      this.#spread(id, pause.by);
    });
  }

  /** Ends the pause of this node, or of the session: not those below it, nor those above. */
  resume(id: string | null, by: Pause['by'] = 'user'): void {
    if (id === null && !this.#meta.pause) {
      throw new FilepathError(
        'conflict',
        'this session is not paused: an agent that was paused by itself is resumed by itself',
      );
    }
    if (id !== null) this.checkResume(id);
    this.#change(() => {
      if (id === null) this.#meta.pause = null;
      else this.#touch(id, { pause: null });
      this.#spread(id, by);
    });
  }

  /** Whether a resume of this node would end something. */
  checkResume(id: string): void {
    const row = this.#find(id);
    if (row.pause === null) throw this.pauses.refusal(row);
  }

  /** Ends the pauses whose time is over. */
  resumeDue(): void {
    const now = this.#deps.now();
    const { pause } = this.#meta;
    if (typeof pause?.until === 'string' && Date.parse(pause.until) <= now) {
      this.resume(null, 'system');
    }
    for (const id of this.pauses.over(now)) this.resume(id, 'system');
  }

  /** When the next pause ends by itself. */
  nextResume(): number | null {
    const { pause } = this.#meta;
    const own = typeof pause?.until === 'string' ? [Date.parse(pause.until)] : [];
    const next = this.pauses.next();
    const times = next === null ? own : [...own, next];
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Takes a subtree, or everything, out of the tree. Its threads are deleted after. */
  drop(id: string | null): void {
    const rows = this.#below(id);
    this.#change(() => {
      if (id !== null && rows[0]) this.#part(rows[0], 'deleted');
      for (const row of rows) this.#touch(row.id, { phase: 'deleting' });
      const above = id === null ? null : (rows[0]?.parent_id ?? null);
      if (above !== null) this.#recount.add(above);
      this.#lineMoves = true;
    });
  }

  /** The changes since this was last asked, in order: what viewers are to get. */
  takeTouched(): FeedItem[] {
    const items = this.#touched;
    this.#touched = [];
    return items;
  }

  feedItem(row: NodeRow): FeedItem {
    const gone = row.phase === 'deleting' || row.phase === 'deleted';
    const change = gone
      ? { seq: row.change_seq, type: 'deleted', id: row.id }
      : { seq: row.change_seq, type: 'node', node: this.#toNode(row) };
    return { seq: row.change_seq, json: JSON.stringify(change) };
  }

  sessionItem(): FeedItem {
    const { changeSeq: seq } = this.#meta;
    return { seq, json: JSON.stringify({ seq, type: 'session', session: this.resource() }) };
  }

  #spawn(parent: string, note: SpawnNote, { known, userPays }: Given, wish?: SpawnWish): Node {
    const row = this.nodes.find(parent);
    if (!row) throw notFound('the parent');
    const { agentType, model, config } = admitSpawn(note, row, known);
    const paid = typeof note.budget?.usd === 'number';
    const limited = userPays || paid || this.accounts.moneyAbove(parent);
    checkMetered(agentType, config, limited, known.entries);
    const above = this.accounts.along(this.accounts.pathOf(parent).slice(1));
    const nameOf = (id: string): string => this.nodes.find(id)?.name ?? id;
    checkSpawnBudget(this.#meta.id, above, note.budget, nameOf);
    return this.#change(() =>
      this.#insert({
        parent,
        name: cleanName(note.name) ?? inventName(),
        agentType,
        model,
        config: JSON.stringify(config),
        task: note.task,
        spawn: wish?.key ?? note.seq,
        snapshot: null,
        ...(note.budget && { budget: note.budget }),
      }),
    );
  }

  #insert(spec: NodeSpec): Node {
    const beside = this.nodes.beside(spec.parent);
    checkCaps(this.#deps.caps, {
      depth: this.nodes.depthOf(spec.parent) + 1,
      siblings: spec.parent === null ? 0 : beside.n,
      agents: this.nodes.count(),
    });
    const id = newThreadId();
    const apiKey = this.#deps.newKey(id);
    this.accounts.open(id);
    if (spec.budget) this.accounts.limit(id, limitOf(spec.budget));
    this.nodes.insert(
      intentRow(spec, {
        id,
        slug: slugOf(spec.name),
        apiKey,
        keyHash: this.#deps.keyHash(apiKey),
        sortOrder: beside.last + 1,
        at: this.#at(),
      }),
    );
    this.#spread(id, 'user');
    this.#recount.add(id);
    this.#touch(id, {});
    return this.node(id);
  }

  /** Runs a change in one transaction, brings counts up to date, and numbers what changed; the session `anyway`. */
  #change<T>(work: () => T, anyway = false): T {
    const { sql } = this.#deps;
    const before = { ...this.#meta };
    const touchedBefore = this.#touched.length;
    const shown = (this.#lastShown ??= this.#shown());
    try {
      return sql.transaction(() => {
        const result = work();
        this.#countUp();
        if (this.#lineMoves) this.#moveLine();
        this.#meta.updatedAt = this.#at();
        this.#lastShown = this.#shown();
        if (anyway || this.#lastShown !== shown) {
          this.#meta.head += 1;
          this.#meta.changeSeq = this.#meta.head;
          this.#touched.push(this.sessionItem());
        }
        writeValue(sql, 'session', this.#meta);
        return result;
      });
    } catch (error) {
      this.#meta = before;
      this.#touched.length = touchedBefore;
      this.#lineMoves = true;
      this.#lastShown = null;
      this.#recount.clear();
      throw error;
    }
  }

  /** From each node whose status or children changed up to the first one whose count is the same. */
  #countUp(): void {
    for (const id of this.#recount) {
      for (let row = this.nodes.find(id); row !== null;) {
        const count = this.nodes.completion(row);
        const same = count.done === row.done && count.total === row.total;
        if (same && row.id !== id) break;
        if (!same) this.#touch(row.id, count);
        row = row.parent_id === null ? null : this.nodes.find(row.parent_id);
      }
    }
    this.#recount.clear();
  }

  #spread(id: string | null, by: Pause['by']): void {
    this.pauses.spread(this.nodes.subtree(id), this.#meta.pause ?? null, by);
    this.#lineMoves = true;
  }

  #planMove(id: string, to: Move, { entries }: KnownAgents): Plan {
    const rows = this.nodes.subtree(id);
    const plan = planMove(this.nodes, this.#deps.caps, rows, to);
    if (this.accounts.moneyAbove(plan.to)) {
      for (const row of rows) checkMetered(row.agent_type, configOf(row), true, entries);
    }
    return plan;
  }

  /** What was used stays on the accounts it was used under; calls from now on count under the new ones. */
  #move({ id, from, to, places, moved }: Plan): void {
    if (to !== from) {
      this.accounts.pin(moved);
      this.#part(this.#find(id), 'moved');
      if (to !== null) this.partings.undo(to, id);
      this.#touch(id, { parent_id: to });
      this.#spread(id, 'user');
      for (const parent of [from, to]) if (parent !== null) this.#recount.add(parent);
    }
    for (const [one, place] of places) this.#touch(one, { sort_order: place });
  }

  /** A person takes a child away from its parent. */
  #part(row: NodeRow, how: 'deleted' | 'moved'): void {
    const { id: child, parent_id: parent, name } = row;
    if (parent === null) return;
    const owed = stillWorks(row, this.results.sentTo(child)) || this.results.owes(child);
    this.partings.note({ parent, child, name, how, at: this.#meta.head + 1 }, owed);
  }

  #find(id: string): NodeRow {
    const row = this.nodes.find(id);
    if (!row) throw notFound('this node');
    return row;
  }

  /** A node and everything below it, or the whole tree. */
  #below(id: string | null): NodeRow[] {
    const rows = this.nodes.subtree(id);
    if (id !== null && rows.length === 0) throw notFound('this node');
    return rows;
  }

  #moveLine(): void {
    const { caps, waiting } = this.#deps;
    this.starts.admit(caps.working, waiting?.() ?? new Set());
    for (const { id, queue } of this.starts.moved()) this.#touch(id, { queue });
    this.#lineMoves = false;
  }

  /** What a change of the session itself would alter. */
  #shown(): string {
    return JSON.stringify({ ...this.resource(), updatedAt: null });
  }

  #touch(id: string, change: Partial<NodeRow>): void {
    this.#meta.head += 1;
    const above = SHOWN_ABOVE.some((key) => key in change) ? this.nodes.find(id) : null;
    this.nodes.update(id, { ...change, updated_at: this.#at(), change_seq: this.#meta.head });
    const row = first<NodeRow>(this.#deps.sql, 'SELECT * FROM nodes WHERE id = ?', id);
    if (!row) return;
    this.#touched.push(this.feedItem(row));
    if (!above || !differsAbove(above, row)) return;
    this.workersTold.changed(row.parent_id);
    if (above.parent_id !== row.parent_id) this.workersTold.changed(above.parent_id);
  }

  #toNode(row: NodeRow, accounts?: ReadonlyMap<string, Account>): Node {
    const of = (scope: string) => accounts?.get(scope) ?? this.accounts.get(scope);
    return toNode(this.#meta.id, row, { own: of(ownOf(row.id)), subtree: of(row.id) });
  }

  #refused(parent: string, seq: number): boolean {
    return (
      first(
        this.#deps.sql,
        'SELECT seq FROM refusals WHERE parent = ? AND seq = ?',
        parent,
        seq,
      ) !== null
    );
  }

  #at(): string {
    return new Date(this.#deps.now()).toISOString();
  }
}

/** What is stopped waits for nobody, also if it failed before. */
function failedIn({ status, stopped, open, failed, seq, reason }: StatusNote): string | null {
  return status === 'error' && !stopped && !open ? JSON.stringify(failed ?? { seq, reason }) : null;
}

export function openSession(deps: SessionDeps): Session | null {
  const meta = readValue<SessionMeta>(deps.sql, 'session');
  if (!meta) return null;
  const session = new Session(deps, meta);
  session.nodes.hashKeys(deps.keyHash);
  return session;
}
