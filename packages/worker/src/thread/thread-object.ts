import { DurableObject } from 'cloudflare:workers';
import {
  type AttachmentRef,
  type Changes,
  type DecisionCreate,
  type Delivery,
  FilepathError,
  type FoundFiles,
  type GatewayBody,
  type JobId,
  JobResult,
  type JobWork,
  type KeptFile,
  type MergeCreate,
  type MessageId,
  type PushCreate,
  type QueuedMessage,
  type SessionId,
  type SnapshotId,
  type SpoolLine,
  type SystemBody,
  type SystemWorkers,
  type ThreadId,
  Touched,
} from '@filepath/protocol';
import { liveRedactor } from '../auth/redact.ts';
import { learnSecretsOfProviders, secretsAreLearnt } from '../gateway/memory.ts';
import type { Env } from '../env.ts';
import { encodingOf, jsonPage } from '../feed/feed-request.ts';
import { SseReaders } from '../feed/sse.ts';
import { newcomer, Viewers, type ViewerSocket } from '../feed/viewers.ts';
import { attempt, notFound, type Result } from '../result.ts';
import { Serial } from '../serial.ts';
import { deleteSnapshots, listSnapshots } from '../snapshot/store.ts';
import { acceptSocket, answerClose, attachmentOf, textOf, ViewerSockets } from '../sockets.ts';
import type { Alarms } from '../storage/alarms.ts';
import { durableAlarms } from '../storage/durable-alarms.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { isFresh, migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { Ruled } from '../user/rules.ts';
import { AgentLink } from './agent-link.ts';
import { offload, removeBlobs } from './blobs.ts';
import { deliverOutbox } from './delivery.ts';
import { readDrafts } from './drafts.ts';
import { type ExportCursor, exportPage, type ExportPage } from './export-page.ts';
import type { MergePlan } from '../session/bringing.ts';
import { askChanges, askFiles } from './ask-workspace.ts';
import { AwaitedResults } from './awaited-results.ts';
import { makesSnapshot } from './jobs.ts';
import { checkRoomFor, keepFile, keptFile } from './files.ts';
import { largeLines } from './lines.ts';
import { LinkSockets } from './link-sockets.ts';
import { nodeHashing } from './node-hashing.ts';
import type { Pause } from './pause.ts';
import { THREAD_MIGRATIONS } from './schema.ts';
import type { ThreadMeta } from './state.ts';
import { readTail } from './tail.ts';
import { readTalk, type TalkPage } from './talk.ts';
import type { SpawnFailed } from './lines.ts';
import type { StatusNote } from './outbox.ts';
import { type Effects, type Given, Thread } from './thread.ts';
import { ThreadFeed } from './thread-feed.ts';

/** How long after a commit an undelivered outbox is tried again, if the delivery at once did not happen. */
const REDELIVER_MS = 1000;

/** Characters of frames that are handled at a stretch: some 25 ms of short lines. */
const BREATH = 64 * 1024;

type Parts = {
  thread: Thread;
  feed: ThreadFeed;
  viewers: Viewers<ViewerSocket>;
  readers: SseReaders;
  link: AgentLink;
};

/** One thread. Wiring only: the behaviour is in `Thread`, `AgentLink` and `Viewers`. */
export class ThreadObject extends DurableObject<Env> {
  #sql: Sql;
  #alarms: Alarms;
  #sockets = new ViewerSockets();
  #links = new LinkSockets();
  #frames = new Serial();
  #delivery = new Serial();
  #results = new AwaitedResults();
  #redact: (text: string) => string;
  #parts: Parts | null = null;
  /** When the alarm is set that ends the wait for a handoff. */
  #handoffDue: number | null = null;
  /** Characters of frames handled since others were let in. */
  #unbroken = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#redact = liveRedactor(env);
    // Before anything of an agent is stored: what is to be hidden must be known.
    if (!secretsAreLearnt())
      void ctx.blockConcurrencyWhile(() => learnSecretsOfProviders(env, ctx));
    this.#alarms = durableAlarms(ctx, this.#sql, env);
    if (isFresh(this.#sql)) return;
    migrate(this.#sql, THREAD_MIGRATIONS);
    this.#open();
  }

  /** Makes the thread; again with the same id it does nothing. */
  init(meta: ThreadMeta): void {
    if (!isFresh(this.#sql)) return;
    migrate(this.#sql, THREAD_MIGRATIONS);
    writeValue(this.#sql, 'meta', meta);
    this.#open();
  }

  configure(
    change: Pick<ThreadMeta, 'name' | 'model' | 'config'>,
    parent: ThreadMeta['parent'] | null,
  ): void {
    this.#parts?.thread.configure(change, parent);
  }

  /** `user` is null when the session asks. */
  message(
    user: string | null,
    from: 'user' | 'parent',
    content: string,
    key: string | null,
    deliver: Delivery | null = 'now',
    files: readonly AttachmentRef[] = [],
  ): Result<{ seq: number }> {
    const clean = this.#redact(content);
    const named = files.map(({ name, sha256 }) => ({
      name: this.#redact(name).slice(0, 120),
      sha256,
    }));
    return this.#change(user, (thread) => thread.message(from, clean, key, deliver, named));
  }

  /** Whether there is room for one more file of so many bytes. */
  fileRoom(user: string, file: Pick<KeptFile, 'sha256' | 'bytes'>): Result<true> {
    return attempt(() => {
      checkRoomFor(this.#sql, this.#for(user).thread.meta.name, file);
      return true;
    });
  }

  /** The bytes of this file are kept: messages may name it. */
  keepFile(user: string, file: KeptFile): Result<KeptFile> {
    return attempt(() => {
      const { meta } = this.#for(user).thread;
      return this.#sql.transaction(() => keepFile(this.#sql, meta.name, file));
    });
  }

  file(user: string, sha256: string): Result<KeptFile> {
    return attempt(() => {
      this.#for(user);
      return keptFile(this.#sql, sha256);
    });
  }

  /** For the runner that the agent is on. */
  fileFor(runner: string, sha256: string): Result<KeptFile> {
    return attempt(() => {
      if (this.#parts?.thread.meta.runner !== runner) throw notFound('this file');
      return keptFile(this.#sql, sha256);
    });
  }

  queued(user: string): Result<QueuedMessage[]> {
    return attempt(() => this.#for(user).thread.queue);
  }

  requeue(user: string, id: MessageId, content: string): Result<{ seq: number }> {
    return this.#change(user, (thread) => thread.requeue(id, this.#redact(content)));
  }

  withdraw(user: string, id: MessageId): Result<{ seq: number }> {
    return this.#change(user, (thread) => thread.withdraw(id));
  }

  /** The session lets this epoch start. False: it is paused, and is to be told again. */
  go(epoch: number, given: Given): boolean {
    const effects = this.#parts?.thread.go(epoch, given);
    if (effects) this.#publish(effects);
    return effects !== null;
  }

  /** What an epoch that may go is to work on; null for any other. */
  taskOf(epoch: number): string | null {
    return this.#parts?.thread.taskOf(epoch) ?? null;
  }

  /** What became of a run of a child. */
  result(
    child: { id: ThreadId; name: string },
    content: string,
    key: string,
  ): Result<{ seq: number }> {
    return this.#change(null, (thread) => thread.result(child, content, key));
  }

  restart(user: string): Result<{ seq: number }> {
    return this.#change(user, (thread) => thread.restart());
  }

  /** The session holds the agent still, or lets it go on. */
  hold(pause: Pause | null, by: Pause['by']): void {
    if (this.#parts) this.#publish(this.#parts.thread.hold(pause, by));
  }

  /** What its session would be told of it now. */
  status(): StatusNote | null {
    return this.#parts?.thread.status ?? null;
  }

  signal(user: string | null, action: 'stop' | 'handoff'): Result<{ seq: number }> {
    return this.#change(user, (thread) => thread.signal(action));
  }

  decide(user: string, id: string, { input, ...answer }: DecisionCreate): Result<{ seq: number }> {
    const clean = input === undefined ? {} : { input: this.#redactJson(input) };
    return this.#change(user, (thread) => thread.decide(id, { ...answer, ...clean }));
  }

  decideByRule(answer: Ruled): void {
    if (this.#parts) this.#publish(this.#parts.thread.decideByRule(answer));
  }

  workers(body: SystemWorkers): Result<{ seq: number }> {
    return this.#change(null, (thread) => thread.workers(body));
  }

  notice(body: SystemBody | null, key: string, words: string | null): Result<{ seq: number }> {
    return this.#change(null, (thread) => thread.notice(body, key, words));
  }

  system(body: SystemBody, key: string): Result<{ seq: number }> {
    return this.#change(null, (thread) => thread.system(body, key));
  }

  /** A child that the agent asked for was refused: it is told, and may do something else. */
  spawnFailed(body: SpawnFailed, key: string): Result<{ seq: number }> {
    return this.#change(null, (thread) => thread.spawnFailed(body, key));
  }

  /** What the gateway metered or refused, in order. */
  gateway(events: readonly { key: string; body: GatewayBody }[]): Result<{ seq: number }> {
    return this.#change(null, (thread) =>
      thread.gateway(
        events.map(({ key, body }) => ({ key, body: redactBody(body, this.#redact) })),
      ),
    );
  }

  /** The job that pushes the agent's branch to the session's repository. Waits for its result for so long. */
  async push(
    user: string,
    { branch, force = false }: PushCreate,
    session: string | null,
    waitMs: number,
  ): Promise<Result<{ job: JobId; result: JobResult | null }>> {
    const ordered = this.#job(user, ({ meta }) => {
      if (meta.gitRepoUrl === null) {
        throw new FilepathError('conflict', 'this session has no repository to push to');
      }
      const work = { type: 'push' as const, repository: meta.gitRepoUrl, force };
      return {
        ...work,
        ...(branch === undefined ? {} : { branch }),
        ...(session === null ? {} : { session }),
      };
    });
    return this.#ended(ordered, waitMs);
  }

  /**
   * The job that merges the agent's branch, or a commit of it. `user` is null when the session asks. Waits for its result
   * for so long.
   */
  async merge(
    user: string | null,
    { name, target }: MergePlan,
    { mode, onConflict }: MergeCreate,
    waitMs: number,
    commit?: string,
  ): Promise<Result<{ job: JobId; result: JobResult | null }>> {
    const hand = onConflict === 'agent';
    const ordered = this.#job(user, () => ({
      type: 'merge',
      name,
      target,
      hand,
      ...(mode === undefined ? {} : { mode }),
      ...(commit === undefined ? {} : { commit }),
    }));
    return this.#ended(ordered, waitMs);
  }

  async #ended(
    ordered: Result<{ job: JobId }>,
    waitMs: number,
  ): Promise<Result<{ job: JobId; result: JobResult | null }>> {
    if (!ordered.ok) return ordered;
    const { job } = ordered.value;
    const result = waitMs === 0 ? null : await this.#results.wait(job, waitMs);
    return { ok: true, value: { job, result } };
  }

  /** What the agent changed, from the runner that has its workspace. */
  async changes(user: string, file: string | null): Promise<Result<Changes>> {
    const found = attempt(() => this.#for(user).thread);
    return found.ok ? askChanges(this.env, found.value, file, this.#redact) : found;
  }

  /** Files of the workspace whose path holds this. */
  async files(user: string, query: string): Promise<Result<FoundFiles>> {
    const found = attempt(() => this.#for(user).thread);
    return found.ok ? askFiles(this.env, found.value, query, this.#redact) : found;
  }

  /** From the runner that the agent is on. */
  touched(runner: string, touched: Touched): void {
    const parts = this.#parts;
    if (parts?.thread.meta.runner !== runner) return;
    parts.thread.touched(Touched.parse(this.#redactJson(touched)));
    this.#publish({ seq: 0, stored: [], deltas: [], inputs: [] });
  }

  /** The job that makes a snapshot of the workspace. */
  snapshot(user: string): Result<{ job: JobId }> {
    return this.#job(user, () => ({ type: 'snapshot' }));
  }

  /** Whether this runner is to bring this snapshot, and whose it is. */
  awaitsSnapshot(runner: string, id: SnapshotId): Result<{ owner: string }> {
    return attempt(() => {
      const meta = this.#parts?.thread.meta;
      if (meta?.runner !== runner || !makesSnapshot(this.#sql, id)) throw notFound('this job');
      return { owner: meta.owner };
    });
  }

  /** Whether this runner makes the workspace from this snapshot, and whose it is. */
  needsSnapshot(runner: string, id: SnapshotId): Result<{ owner: string }> {
    return attempt(() => {
      const meta = this.#parts?.thread.meta;
      if (meta?.runner !== runner || meta.snapshot?.id !== id) throw notFound('this snapshot');
      return { owner: meta.owner };
    });
  }

  /** The end of a job, from the runner that the agent is on. */
  jobDone(runner: string, result: JobResult): void {
    const parts = this.#parts;
    if (parts?.thread.meta.runner !== runner) return;
    const clean = JobResult.parse(this.#redactJson(result));
    this.#publish(parts.thread.jobDone(clean));
    this.#results.came(clean);
  }

  page(user: string, after: number, limit: number): Result<string> {
    return attempt(() => jsonPage(this.#for(user).feed, after, limit));
  }

  /** `tail` is a name that workerd keeps for itself. */
  lastEvents(user: string, before: number | null, limit: number): Result<string> {
    return attempt(() => readTail(this.#sql, this.#for(user).thread, before, limit));
  }

  /** For whoever has asked the session whether it may be told. */
  talk(after: number | null): TalkPage {
    const head = this.#parts?.thread.state.seq;
    return head === undefined ? { messages: [], upTo: 0 } : readTalk(this.#sql, head, after);
  }

  exportPage(user: string, cursor: ExportCursor | null): Result<ExportPage> {
    return attempt(() => exportPage(this.#sql, this.#for(user), cursor));
  }

  /** Whether this user may read the thread. */
  allows(user: string): boolean {
    return this.#parts?.thread.meta.owner === user;
  }

  /** The session this thread belongs to. */
  sessionFor(user: string): Result<SessionId> {
    return attempt(() => this.#for(user).thread.meta.session);
  }

  /** Deletes everything; the runner is told to put the home aside. */
  async remove(): Promise<void> {
    const parts = this.#parts;
    if (!parts) return;
    parts.viewers.close('{"t":"deleted"}', 1000, 'deleted');
    parts.readers.end();
    parts.link.end('deleted');
    parts.thread.erase();
    writeValue(this.#sql, 'deleted', true);
    this.#parts = null;
    this.#alarms.cancel('handoff');
    this.#alarms.schedule('outbox', Date.now() + REDELIVER_MS);
    this.#alarms.schedule('blobs', Date.now());
    await this.#deliver();
  }

  override async fetch(request: Request): Promise<Response> {
    const parts = this.#parts;
    const runner = request.headers.get('x-filepath-runner');
    if (runner !== null) {
      const { response, server } = acceptSocket(this.ctx, { kind: 'link', runner, epoch: 0 });
      if (!parts) server.send('{"t":"over","reason":"deleted"}');
      return response;
    }
    if (!parts) return new Response(null, { status: 404 });
    const after = Number(new URL(request.url).searchParams.get('after'));
    if (encodingOf(request) === 'sse') return parts.readers.open(after);
    const { response, server } = acceptSocket(this.ctx, {
      kind: 'viewer',
      memory: newcomer(after),
    });
    parts.viewers.join(this.#sockets.of(server), after);
    return response;
  }

  override async webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const text = textOf(message);
    if (attachmentOf(ws)?.kind === 'viewer') {
      this.#parts?.viewers.receive(this.#sockets.of(ws), text);
      return;
    }
    await this.#frames.run(async () => {
      // Asked for when the frame's turn comes: the thread may be deleted while another one is handled.
      if (this.#parts) await this.#parts.link.receive(this.#links.of(ws), text);
      else ws.send('{"t":"over","reason":"deleted"}');
      await this.#breathe(text.length);
    });
  }

  override webSocketClose(ws: WebSocket, code: number): void {
    answerClose(ws, code);
    this.#forget(ws);
  }

  override webSocketError(ws: WebSocket): void {
    this.#forget(ws);
  }

  override async alarm(): Promise<void> {
    if (isFresh(this.#sql)) return;
    await this.#alarms.run({
      outbox: () => this.#deliver(),
      blobs: () => this.#removeBlobs(),
      handoff: async () => {
        // It is set anew if its time has not come.
        this.#handoffDue = null;
        if (this.#parts) this.#publish(this.#parts.thread.handoffOverdue());
      },
    });
    // Emptied tables keep their pages. When nothing is left to tell, the storage itself goes.
    const waits = this.#sql.all('SELECT name FROM alarms LIMIT 1').length > 0;
    if (!waits && readValue(this.#sql, 'deleted')) await this.ctx.storage.deleteAll();
  }

  #open(): void {
    const meta = readValue<ThreadMeta>(this.#sql, 'meta');
    if (!meta || readValue(this.#sql, 'deleted')) return;
    const thread = new Thread({ sql: this.#sql, hashing: nodeHashing, now: Date.now }, meta);
    // The alarm was stored with it.
    this.#handoffDue = thread.handoffDue;
    const feed = new ThreadFeed(this.#sql, thread);
    const viewers = new Viewers<ViewerSocket>(feed, () => readDrafts(this.#sql));
    const link = new AgentLink(thread, {
      publish: (effects) => {
        this.#publish(effects);
      },
      offload: (lines) => this.#offload(thread, lines),
      redact: this.#redact,
    });
    this.#parts = { thread, feed, viewers, readers: new SseReaders(feed), link };
    for (const ws of this.ctx.getWebSockets()) {
      const attachment = attachmentOf(ws);
      if (attachment?.kind === 'viewer') viewers.restore(this.#sockets.of(ws), attachment.memory);
      else if (attachment?.kind === 'link') link.restore(this.#links.of(ws));
    }
  }

  #for(user: string): Parts {
    if (!this.#parts || !this.allows(user)) throw notFound('this thread');
    return this.#parts;
  }

  #change(user: string | null, work: (thread: Thread) => Effects): Result<{ seq: number }> {
    return attempt(() => {
      if (!this.#parts || (user !== null && !this.allows(user))) throw notFound('this thread');
      const effects = work(this.#parts.thread);
      this.#publish(effects);
      return { seq: effects.seq };
    });
  }

  #redactJson(value: unknown): unknown {
    return JSON.parse(this.#redact(JSON.stringify(value))) as unknown;
  }

  #job(user: string | null, work: (thread: Thread) => JobWork): Result<{ job: JobId }> {
    return attempt(() => {
      if (!this.#parts) throw notFound('this thread');
      const { thread } = user === null ? this.#parts : this.#for(user);
      const job = thread.job(work(thread));
      this.#publish({ seq: 0, stored: [], deltas: [], inputs: [] });
      return { job };
    });
  }

  #publish({ stored, deltas, inputs }: Effects): void {
    const parts = this.#parts;
    if (!parts) return;
    parts.viewers.publish(stored, deltas);
    if (stored.length > 0) parts.readers.wake();
    parts.link.sendInputs(inputs);
    this.#awaitHandoff(parts.thread.handoffDue);
    if (this.#sql.all('SELECT id FROM outbox LIMIT 1').length === 0) return;
    // Set in the same turn as the outbox rows, so that both are committed together.
    this.#alarms.schedule('outbox', Date.now() + REDELIVER_MS);
    this.ctx.waitUntil(this.#deliver().catch(() => undefined));
  }

  #awaitHandoff(due: number | null): void {
    if (due === this.#handoffDue) return;
    if (this.#handoffDue !== null) this.#alarms.cancel('handoff');
    if (due !== null) this.#alarms.schedule('handoff', due);
    this.#handoffDue = due;
  }

  #deliver(): Promise<void> {
    return this.#delivery.run(async () => {
      await deliverOutbox(this.#sql, this.env, (answers) => {
        for (const answer of answers) this.decideByRule(answer);
      });
      this.#alarms.cancel('outbox');
      // Its storage goes with an alarm that finds nothing left to tell: the last one may have come too early for that.
      if (this.#parts === null) this.#alarms.schedule('blobs', Date.now());
    });
  }

  /** Frames of a talkative agent follow on each other without a pause: others are let in between. */
  async #breathe(characters: number): Promise<void> {
    this.#unbroken += characters;
    if (this.#unbroken < BREATH) return;
    this.#unbroken = 0;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }

  #offload(thread: Thread, lines: readonly SpoolLine[]) {
    const large = largeLines(lines);
    if (large.length === 0) return null;
    const store = {
      put: async (key: string, text: string) => {
        await this.env.BLOBS.put(key, text);
      },
    };
    return offload(store, nodeHashing.sha256, thread.meta.thread, large);
  }

  async #removeBlobs(): Promise<void> {
    const meta = readValue<ThreadMeta>(this.#sql, 'meta');
    if (!meta) return;
    await removeBlobs(this.env.BLOBS, meta.thread);
    const snapshots = await listSnapshots(this.env.BLOBS, meta.owner, meta.thread);
    const ids = snapshots.map(({ id }) => id);
    await deleteSnapshots(this.env.BLOBS, meta.owner, ids);
  }

  #forget(ws: WebSocket): void {
    this.#parts?.viewers.leave(this.#sockets.of(ws));
    this.#parts?.link.leave(this.#links.of(ws));
  }
}

/** A provider's own words may hold anything. */
function redactBody(body: GatewayBody, redact: (text: string) => string): GatewayBody {
  if (body.type === 'refused') return { ...body, message: redact(body.message) };
  return body.error === undefined ? body : { ...body, error: redact(body.error) };
}
