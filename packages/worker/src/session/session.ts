import {
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
import type { SpawnNote, StatusNote, WishNote } from '../thread/outbox.ts';
import { admit, admitSpawn, checkCaps, checkMetered, withNetwork } from './admission.ts';
import type { Caps } from './caps.ts';
import { type Account, Accounts, limitsOf, ownOf, SESSION } from './ledger/accounts.ts';
import { budgetOf, limitOf } from './ledger/money.ts';
import { totalsOf } from './ledger/usage-row.ts';
import { inventName, slugOf } from './names.ts';
import { configOf, intentRow, type NodeRow, type NodeSpec, toNode, unmask } from './node-row.ts';
import { NodeTable } from './node-table.ts';
import { withoutCredentials } from './repository-url.ts';
import { statusOf } from './session-status.ts';
import { Starts } from './starts.ts';

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
};

export type SessionDeps = {
  sql: Sql;
  now: () => number;
  newKey: (node: ThreadId) => string;
  keyHash: (key: string) => string;
  caps: Caps;
};

/** What a new node is judged by: the agents there are, and whether the user has a budget in money. */
export type Given = { readonly known: KnownAgents; readonly userPays: boolean };

const USUAL: Given = { known: BUILT_IN, userPays: false };

/** A session: its tree, and what is still to be told to the tree's threads. */
export class Session {
  readonly nodes: NodeTable;
  readonly accounts: Accounts;
  readonly starts: Starts;
  #deps: SessionDeps;
  #meta: SessionMeta;
  #touched: FeedItem[] = [];
  /** Something changed that the line of starts depends on. */
  #lineMoves = true;

  constructor(deps: SessionDeps, meta: SessionMeta) {
    this.#deps = deps;
    this.#meta = meta;
    this.nodes = new NodeTable(deps.sql);
    this.accounts = new Accounts(deps.sql);
    this.starts = new Starts(deps.sql);
  }

  get meta(): SessionMeta {
    return this.#meta;
  }

  resource(): SessionResource {
    const { id, name, gitRepoUrl, createdAt, updatedAt } = this.#meta;
    const rows = this.nodes.live();
    const root = rows.find((row) => row.parent_id === null);
    const account = this.accounts.get(SESSION);
    return {
      id,
      name,
      gitRepoUrl: gitRepoUrl && withoutCredentials(gitRepoUrl),
      status: statusOf(this.#meta, rows),
      rootNodeId: root ? ThreadId.parse(root.id) : null,
      nodeCount: rows.length,
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

  patchNode(id: ThreadId, patch: NodePatch, known: KnownAgents = BUILT_IN): Node {
    const row = this.nodes.find(id);
    if (!row) throw notFound('this node');
    const config =
      patch.config && admit(known, row.agent_type, unmask(patch.config, configOf(row)));
    if (config) {
      checkMetered(row.agent_type, config, this.accounts.moneyAbove(id), known.entries);
    }
    this.#change(() => {
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
    const row = this.nodes.find(id);
    if (!row) throw notFound('this node');
    return this.#toNode(row);
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
      this.#meta.started = true;
      // A note from before the stop was delivered says nothing about what came after it.
      const since = row.halt === null || (row.halt > 0 && note.seq > row.halt);
      if (!note.stopped && since) this.#meta.stopped = false;
      this.#touch(thread, {
        status: note.status,
        reason: note.reason,
        context_pct: note.contextPct,
        thread_seq: note.seq,
        open: note.open ? 1 : 0,
      });
      if (note.open !== (row.open === 1)) this.#lineMoves = true;
    });
  }

  /** A start that a thread wishes for, or wants no more, once. */
  noteWish(thread: string, note: WishNote): void {
    if (!this.nodes.find(thread)) return;
    this.#change(() => {
      if (this.starts.wish(thread, note)) this.#lineMoves = true;
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

  /** Marks a subtree as stopped. Its threads are told after; until then nothing can be spawned in it. */
  halt(id: string | null): void {
    const rows = id === null ? this.nodes.live() : this.nodes.subtree(id);
    if (id !== null && rows.length === 0) throw notFound('this node');
    this.#change(() => {
      for (const row of rows) this.nodes.update(row.id, { halt: 0 });
      if (id === null) this.#meta.stopped = true;
      this.#lineMoves = true;
    });
  }

  /** The thread has its stop in its log, at this seq. What it wishes for after that may go. */
  halted(id: string, seq: number): void {
    this.#change(() => {
      this.#deps.sql.run('UPDATE nodes SET halt = ? WHERE id = ? AND halt = 0', seq, id);
      this.#lineMoves = true;
    });
  }

  /** Takes a subtree, or everything, out of the tree. Its threads are deleted after. */
  drop(id: string | null): void {
    const rows = id === null ? this.nodes.live() : this.nodes.subtree(id);
    if (id !== null && rows.length === 0) throw notFound('this node');
    this.#change(() => {
      for (const row of rows) this.#touch(row.id, { phase: 'deleting' });
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

  #spawn(parent: string, note: SpawnNote, { known, userPays }: Given): void {
    const row = this.nodes.find(parent);
    if (!row) throw notFound('the parent');
    const { agentType, model, config } = admitSpawn(note, row, known);
    const limited = userPays || this.accounts.moneyAbove(parent);
    checkMetered(agentType, config, limited, known.entries);
    this.#change(() =>
      this.#insert({
        parent,
        name: note.name.trim().slice(0, 120) || inventName(),
        agentType,
        model,
        config: JSON.stringify(config),
        task: note.task,
        spawn: note.seq,
        snapshot: null,
      }),
    );
  }

  #insert(spec: NodeSpec): Node {
    const rows = this.nodes.live();
    const siblings = rows.filter((row) => row.parent_id === spec.parent);
    checkCaps(this.#deps.caps, {
      depth: this.nodes.depthOf(spec.parent) + 1,
      siblings: spec.parent === null ? 0 : siblings.length,
      agents: rows.length,
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
        sortOrder: Math.max(-1, ...siblings.map((row) => row.sort_order)) + 1,
        at: this.#at(),
      }),
    );
    this.#touch(id, {});
    return this.node(id);
  }

  /** Runs a change in one transaction, brings counts up to date, and numbers what changed; the session `anyway`. */
  #change<T>(work: () => T, anyway = false): T {
    const { sql } = this.#deps;
    const before = { ...this.#meta };
    const touchedBefore = this.#touched.length;
    const shown = this.#shown();
    try {
      return sql.transaction(() => {
        const result = work();
        for (const { id, done, total } of this.nodes.staleCounts())
          this.#touch(id, { done, total });
        if (this.#lineMoves) this.#moveLine();
        this.#meta.updatedAt = this.#at();
        if (anyway || this.#shown() !== shown) {
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
      throw error;
    }
  }

  #moveLine(): void {
    this.starts.admit(this.#deps.caps.working);
    for (const { id, queue } of this.starts.moved()) this.#touch(id, { queue });
    this.#lineMoves = false;
  }

  /** What a change of the session itself would alter. */
  #shown(): string {
    return JSON.stringify({ ...this.resource(), updatedAt: null });
  }

  #touch(id: string, change: Partial<NodeRow>): void {
    this.#meta.head += 1;
    this.nodes.update(id, { ...change, updated_at: this.#at(), change_seq: this.#meta.head });
    const row = first<NodeRow>(this.#deps.sql, 'SELECT * FROM nodes WHERE id = ?', id);
    if (row) this.#touched.push(this.feedItem(row));
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

export function openSession(deps: SessionDeps): Session | null {
  const meta = readValue<SessionMeta>(deps.sql, 'session');
  if (!meta) return null;
  const session = new Session(deps, meta);
  session.nodes.hashKeys(deps.keyHash);
  return session;
}
