import {
  AIChatAgent,
  type ChatRecoveryConfig,
  type OnChatMessageOptions,
} from '@cloudflare/ai-chat';
import {
  FilepathError,
  type KeptFile,
  type LiteclawFailure,
  type LiteclawTools,
  type LiteclawToolsPut,
  type LiteclawWorkspace,
  type LiteclawWorkspacePost,
  ThreadId,
} from '@filepath/protocol';
import { type ChatFile, chatFileRef } from '@filepath/protocol/chat';
import type { ExtensionsOfChat, SkyExportSummary } from '@filepath/protocol/sky';
import type { Connection } from 'agents';
import { liveRedactor } from '../auth/redact.ts';
import type { Env } from '../env.ts';
import { log } from '../http/log.ts';
import { attempt, attemptLater, notFound, type Result } from '../result.ts';
import { Serial } from '../serial.ts';
import { durableSql } from '../storage/durable-sql.ts';
import { migrate } from '../storage/schema.ts';
import type { Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import { nodeHashing } from '../thread/node-hashing.ts';
import type { ChatCounts } from './counts.ts';
import {
  exportHead,
  type ExportHead,
  type ExportKind,
  exportPage,
  type ExportRow,
} from './export-pages.ts';
import { ChatFiles } from './files/chat-files.ts';
import { type Brought, newFile } from './files/file-parts.ts';
import { ImportStage, type StagedLine } from './import-stage.ts';
import { ChatExtensions } from './extensions/chat-extensions.ts';
import type { AllExtensionCounts } from './extensions/counts.ts';
import { readIncoming } from './incoming.ts';
import { LateResumes } from './late-resumes.ts';
import { ChatLedger } from './ledger.ts';
import { ChatMemory, keptMessages } from './memory.ts';
import { chatModel } from './model.ts';
import { Replies } from './replies.ts';
import { SaidTable } from './said.ts';
import { CHAT_MIGRATIONS } from './schema.ts';
import { liteclawSettings, type LiteclawSettings } from './settings.ts';
import { type RunEnd, SkyLog } from './sky-log.ts';
import { ChatTools } from './tools/chat-tools.ts';
import { webTool } from './tools/registry.ts';
import { Turns } from './turns.ts';

/** What clients see beside the transcript. */
export type ChatState = {
  schema_version: 1;
  state: 'ready' | 'thinking' | 'error';
  created_at: string;
  updated_at: string;
};

type Hatched = { owner: string; at: string };

/** A turn that was stopped has this long to end before the next begins. */
const STOP_MS = 5_000;
/** After a start: when it is looked whether an unanswered message is being answered again. */
const RECHECK_SECONDS = 20;

const INTERRUPTED: LiteclawFailure = {
  code: 'interrupted',
  message: 'This message was interrupted before it was answered. Send it again.',
};

const ASKED = 'This was not sent: a request with the same id was answered already. Send it again.';
const NOT_KEPT = 'its files could not be kept. Send it again.';
const NOT_SENT = { outcome: 'error', firstAt: null, streamed: true } as const;

/** A run that the object did not live to end. */
const LOST: RunEnd = { status: 'lost', output: '', ttftMs: null, error: INTERRUPTED };

/**
 * The chat of one user: the Agents SDK's own chat, with the model behind the gateway, a summary beside the transcript
 * and a rule for what it is told. One turn at a time: what is said meanwhile stops it.
 */
export class Chat extends AIChatAgent<Env, ChatState> {
  // Turns are killed with the object at any time: the alarm that finds them again comes soon.
  static override options = { keepAliveIntervalMs: 5_000 };

  override chatRecovery: ChatRecoveryConfig = {
    maxAttempts: 4,
    maxInterruptedAttempts: 4,
    noProgressTimeoutMs: 120_000,
    terminalMessage: INTERRUPTED.message,
    onExhausted: () => this.#storeFailure(INTERRUPTED),
  };

  #sql: Sql;
  #settings: LiteclawSettings;
  #turns: Turns;
  #log: SkyLog;
  #said: SaidTable;
  #memory: ChatMemory;
  #stage: ImportStage;
  #ledger: ChatLedger;
  #redact: (text: string) => string;
  #replies: Replies;
  #tools: ChatTools;
  #files: ChatFiles;
  #extensions: ChatExtensions;
  #arrivals = new Serial();
  /** Tells that the turn of a request has begun. */
  #begun = new Map<string, () => void>();
  /** How often the transcript was changed. */
  #stored = 0;
  #late = new LateResumes((id) => this.#open(id));

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    migrate(this.#sql, CHAT_MIGRATIONS);
    this.#settings = liteclawSettings(env);
    this.#turns = new Turns(this.#sql, Date.now);
    const thread = this.#id();
    this.#log = new SkyLog({ sql: this.#sql, hashing: nodeHashing, thread, now: Date.now });
    this.#said = new SaidTable(this.#sql, Date.now);
    this.#memory = new ChatMemory(this.#sql, ({ summary, through }) => {
      const hash = nodeHashing.sha256(JSON.stringify(summary));
      this.#log.note({ type: 'summary', summary_hash: hash, length: summary.length, through });
    });
    this.#stage = new ImportStage(this.#parts());
    this.#redact = liveRedactor(env);
    this.#ledger = new ChatLedger({
      sql: this.#sql,
      chat: this.#id(),
      user: () => env.USER.getByName(this.#owner()),
      keep: (work) => ctx.waitUntil(work),
    });
    const extensions = new ChatExtensions({
      env,
      sql: this.#sql,
      chat: thread,
      note: (body) => this.#log.note(body),
      keep: (work) => ctx.waitUntil(work),
      web: webTool(env),
    });
    this.#extensions = extensions;
    this.#tools = new ChatTools({
      env,
      sql: this.#sql,
      chat: thread,
      owner: () => this.#owner(),
      extensions,
    });
    const { BLOBS: blobs } = env;
    this.#files = new ChatFiles({ sql: this.#sql, blobs, chat: thread, now: Date.now });
    this.#replies = new Replies({
      chat: this.#id(),
      settings: this.#settings,
      sql: this.#sql,
      turns: this.#turns,
      log: this.#log,
      table: this.#said,
      memory: this.#memory,
      files: this.#files,
      tools: this.#tools,
      extensions,
      model: () => this.#model(),
      redact: this.#redact,
      show: (state) => this.#show(state),
    });
    // There are none, and waiting for them would hold up every first answer.
    this.waitForMcpConnections = false;
    // The SDK puts its own handlers here, in its constructor: these stand before them.
    const connected = this.onConnect.bind(this);
    const received = this.onMessage.bind(this);
    const closed = this.onClose.bind(this);
    this.onConnect = (connection, context) => {
      this.#late.told(connection.id, this._resumableStream.activeRequestId);
      return connected(connection, context);
    };
    this.onMessage = (connection, message) => this.#receive(connection, message, received);
    this.onClose = (connection, ...rest) => {
      // A client that connects again has its old id, and the old connection may end after that.
      if (!this.#open(connection.id)) this.#late.gone(connection.id);
      return closed(connection, ...rest);
    };
  }

  /** Once; again for the same owner it changes nothing. */
  hatch(owner: string): { createdAt: string } {
    const known = readValue<Hatched>(this.#sql, 'hatched');
    if (known) {
      if (known.owner !== owner) throw new Error('this chat is of another user');
      return { createdAt: known.at };
    }
    const at = new Date().toISOString();
    writeValue(this.#sql, 'hatched', { owner, at } satisfies Hatched);
    this.#show('ready');
    return { createdAt: at };
  }

  counts(): ChatCounts {
    return this.#turns.counts();
  }

  toolRules(): LiteclawTools {
    return this.#tools.shown();
  }

  /** Holds for the next call, also of a run that goes on. */
  setToolRules(rules: LiteclawToolsPut): LiteclawTools {
    return this.#tools.set(rules);
  }

  extensionCounts(): AllExtensionCounts {
    return this.#extensions.counts();
  }

  /** Null: as they are. */
  extensionsOf(refs: readonly string[] | null): Promise<Result<ExtensionsOfChat>> {
    return attemptLater(() =>
      refs === null ? this.#extensions.shown() : this.#extensions.set(refs),
    );
  }

  workspaceOf(asked: LiteclawWorkspacePost | null): Promise<Result<LiteclawWorkspace>> {
    return attemptLater(() => this.#tools.workspace(asked));
  }

  /** Ends a workspace that was not used for long. */
  async expireWorkspace(): Promise<void> {
    await this.#tools.expire();
    await this.#expireLater();
  }

  /** A file for a message that names it later. `said`: its media type, as the sender says. */
  keepFile(bytes: Uint8Array, said: string | null): Promise<Result<ChatFile>> {
    return attemptLater(async () => {
      const file = newFile(bytes, said, 'The file', this.#files.hash);
      if (typeof file === 'string') throw new FilepathError('bad_request', `${file}.`);
      const kept = await this.#files.keep(file, false);
      await this.#cleanLater();
      return { ...kept, ref: chatFileRef(this.#id(), kept.sha256) };
    });
  }

  file(sha256: string): KeptFile | null {
    return this.#files.find(sha256);
  }

  /** Deletes files that no message came to name. */
  async cleanFiles(): Promise<void> {
    await this.#files.clean();
    await this.#cleanLater();
  }

  /** What an export is taken of. The pages after it are of that moment. */
  exportHead(): ExportHead {
    this.#said.follow(this.messages, this.#log.lastRun);
    return exportHead(this.#parts());
  }

  exportPage(head: ExportHead, kind: ExportKind, after: number): Result<ExportRow[]> {
    return attempt(() => exportPage(this.#parts(), head, kind, after));
  }

  /** Nothing was said in it since it began or was reset. */
  isEmpty(): boolean {
    return this.messages.length === 0 && this.#said.last === 0 && this.#turns.open().length === 0;
  }

  /** An import into a chat that is empty and nobody else's. The key is for what follows. */
  importBegin(owner: string): Result<string> {
    return attempt(() => {
      this.#demandImport(owner);
      const key = crypto.randomUUID();
      this.#stage.begin(key);
      return key;
    });
  }

  importAdd(key: string, lines: readonly StagedLine[]): Result<null> {
    return attempt(() => {
      this.#stage.add(key, lines);
      return null;
    });
  }

  importDrop(key: string): void {
    this.#stage.drop(key);
  }

  importEnd(
    key: string,
    owner: string,
    summary: SkyExportSummary,
  ): Promise<Result<{ createdAt: string; missingFiles: string[] }>> {
    return attemptLater(async () => {
      const imported = this.#sql.transaction(() => {
        this.#demandImport(owner);
        const missingFiles = this.#files.imported(this.#stage.finish(key, summary));
        this.#log.end(null, LOST);
        this.#tools.imported();
        writeValue(this.#sql, 'restore', true);
        return { ...this.hatch(owner), missingFiles };
      });
      await this.#restore();
      return imported;
    });
  }

  /** Its user has another chat now. */
  left(): void {
    for (const connection of this.getConnections()) connection.close(1008, 'another chat');
  }

  /** Forgets what was said, and the summary of it. */
  async reset(): Promise<void> {
    await this.#arrivals.run(async () => {
      await this.#quiet('reset');
      this.resetTurnState();
      await this.sessions.session().clearMessages();
      await this['_clearChatTerminal']();
      this._resumableStream.clearAll();
      this.#replies.forget();
      this.#stored += 1;
    });
    this.broadcast(JSON.stringify({ type: 'cf_agent_chat_clear' }));
    await this.#files.clean();
  }

  override async onStart(): Promise<void> {
    if (this.state?.state === 'thinking') this.#show('ready');
    await this.#restore();
    this.ctx.waitUntil(this.#files.clean());
    const last = this.messages.at(-1);
    const open = this.#turns.open();
    this.#sql.transaction(() => {
      for (const { request } of open)
        this.#turns.end(request, { outcome: 'interrupted', firstAt: null, streamed: true });
      this.#log.end(null, LOST);
      this.#said.follow(this.messages, this.#log.lastRun);
    });
    for (const { message } of open) {
      if (message !== null && last?.role === 'user' && last.id === message)
        await this.schedule(RECHECK_SECONDS, 'recheck', message, { idempotent: true });
    }
  }

  /** A message that the SDK's recovery did not take up is answered after all. */
  async recheck(message: string): Promise<void> {
    const last = this.messages.at(-1);
    if (last?.id !== message || this['isChatTurnActive']()) return;
    await this.saveMessages([...this.messages]);
    if (this.messages.at(-1)?.id === message) await this.#storeFailure(INTERRUPTED);
  }

  /** Clients read what the object says of itself, and change none of it. */
  override validateStateChange(_next: ChatState, source: Connection | 'server'): void {
    if (source !== 'server') throw new Error('The state of a chat is its own.');
  }

  override onError(first: unknown, second?: unknown): never {
    const error = second ?? first;
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log('error', 'chat failed', { error: this.#redact(detail) });
    throw error;
  }

  override broadcast(...[text, without]: Parameters<AIChatAgent['broadcast']>): void {
    const late = typeof text === 'string' ? this.#late.sent(text) : [];
    super.broadcast(text, [...(without ?? []), ...late]);
  }

  override async persistMessages(
    ...given: Parameters<AIChatAgent<Env, ChatState>['persistMessages']>
  ): Promise<void> {
    // A question is put away together with its answer: the model is asked before. One at most waits for that.
    const asks = isQuestion(given[0]);
    this.#stored += 1;
    this.maxPersistedMessages = asks ? undefined : keptMessages(this.#settings);
    await super.persistMessages(...given);
    if (!asks || !isQuestion(this.messages)) this.#said.follow(this.messages, this.#log.lastRun);
  }

  async #receive(
    connection: Connection,
    message: unknown,
    sdk: (connection: Connection, message: string) => unknown,
  ): Promise<void> {
    const stored = this.#stored;
    const incoming = readIncoming(message, this.messages, this.#files);
    if (incoming.kind === 'refused') {
      if (incoming.id !== null)
        refuse(connection, incoming.id, `This was not sent: ${incoming.reason}.`);
      return;
    }
    if (incoming.kind === 'resume')
      this.#late.told(connection.id, this._resumableStream.activeRequestId);
    if (incoming.kind === 'resumed' && this.#late.answered(connection, incoming.id)) return;
    if (incoming.kind === 'clear') {
      const { frame } = incoming;
      await this.#arrivals.run(async () => {
        await this.#quiet('cleared');
        this.#replies.forget();
        await sdk(connection, frame);
        this.#stored += 1;
      });
      await this.#files.clean();
      return;
    }
    if (incoming.kind !== 'ask') {
      if (incoming.kind === 'messages') await this.#keep(incoming.brought);
      await sdk(connection, incoming.frame);
      return;
    }
    // A second request under one id would be another message that nothing counts.
    const known = this.#turns.outcomeOf(incoming.id);
    if (known !== null) {
      if (known !== 'open') refuse(connection, incoming.id, ASKED);
      return;
    }
    const { messagesPerMinute, modelConfigId } = this.#settings;
    if (this.#turns.recent() >= messagesPerMinute) {
      const words = `At most ${messagesPerMinute} messages a minute are answered. Wait a moment, then send it again.`;
      refuse(connection, incoming.id, words);
      return;
    }
    this.#turns.begin(incoming.id, incoming.message, modelConfigId);
    try {
      await this.#keep(incoming.brought);
    } catch (error) {
      const why = error instanceof FilepathError ? error.message : NOT_KEPT;
      this.#turns.end(incoming.id, { ...NOT_SENT, code: 'file' });
      refuse(connection, incoming.id, `This was not sent: ${why}`);
      return;
    }
    let turn: unknown;
    await this.#arrivals.run(async () => {
      await this.#quiet('superseded');
      // The transcript may have grown by what was stopped.
      const same = stored === this.#stored;
      const anew = same ? incoming : readIncoming(message, this.messages, this.#files);
      const begun = Promise.withResolvers<void>();
      this.#begun.set(incoming.id, begun.resolve);
      turn = sdk(connection, anew.kind === 'ask' ? anew.frame : incoming.frame);
      await Promise.race([begun.promise, Promise.resolve(turn)]);
      this.#begun.delete(incoming.id);
    });
    await turn;
  }

  /** The files of a message, before it names them. */
  async #keep({ files, named }: Brought): Promise<void> {
    this.#files.use(named);
    for (const file of files.values()) await this.#files.keep(file, true);
  }

  async #cleanLater(): Promise<void> {
    const at = this.#files.due;
    if (at !== null)
      await this.schedule(new Date(at + 1_000), 'cleanFiles', undefined, { idempotent: true });
  }

  override async onChatMessage(
    _onFinish: unknown,
    options?: OnChatMessageOptions,
  ): Promise<Response> {
    const { requestId: request = crypto.randomUUID(), abortSignal, continuation } = options ?? {};
    this.#begun.get(request)?.();
    return this.#replies.reply({
      request,
      said: this.messages,
      goOn: continuation === true,
      signal: abortSignal ?? new AbortController().signal,
    });
  }

  override async onChatResponse(): Promise<void> {
    await this.#expireLater();
    await this.#replies.fold(this.messages);
  }

  async #expireLater(): Promise<void> {
    const at = this.#tools.workspaceEnds;
    if (at !== null)
      await this.schedule(new Date(at + 1_000), 'expireWorkspace', undefined, { idempotent: true });
  }

  /** The transcript of the SDK after an import: its end. May be repeated. */
  async #restore(): Promise<void> {
    if (readValue<boolean>(this.#sql, 'restore') !== true) return;
    const tail = this.#said.tail(keptMessages(this.#settings));
    await this.persistMessages(tail as Parameters<Chat['persistMessages']>[0]);
    writeValue(this.#sql, 'restore', false);
    this.#show('ready');
  }

  #demandImport(owner: string): void {
    const known = readValue<Hatched>(this.#sql, 'hatched');
    if (known && known.owner !== owner) throw notFound('this chat');
    if (!this.isEmpty())
      throw new FilepathError(
        'conflict',
        'There is something in this chat. Export it, reset it, then import again.',
      );
  }

  #parts() {
    return {
      sql: this.#sql,
      hashing: nodeHashing,
      thread: this.#id(),
      log: this.#log,
      said: this.#said,
      memory: this.#memory,
    };
  }

  #model(): ReturnType<typeof chatModel> {
    const deps = {
      env: this.env,
      background: this.ctx,
      ledger: this.#ledger,
      owner: this.#owner(),
      chat: this.#id(),
    };
    return chatModel(deps, this.#settings);
  }

  /** Stops what is on its way, and waits until the part that was said of it is stored. */
  async #quiet(reason: string): Promise<void> {
    this.abortAllRequests(reason);
    await this.waitUntilStable({ timeout: STOP_MS });
  }

  #open(id: string): Connection | undefined {
    const open = (one: Connection): boolean => one.id === id && one.readyState === WebSocket.OPEN;
    return [...this.getConnections()].find(open);
  }

  #id(): ThreadId {
    return ThreadId.parse(this.ctx.id.name);
  }

  #owner(): string {
    const known = readValue<Hatched>(this.#sql, 'hatched');
    if (!known) throw new Error('this chat was not spawned');
    return known.owner;
  }

  #show(state: ChatState['state']): void {
    const at = new Date().toISOString();
    const created_at = readValue<Hatched>(this.#sql, 'hatched')?.at ?? at;
    this.setState({ schema_version: 1, state, created_at, updated_at: at });
  }

  async #storeFailure(failure: LiteclawFailure): Promise<void> {
    const id = `assistant_${crypto.randomUUID()}`;
    const part = { type: 'data-error' as const, data: failure };
    await this.persistMessages([...this.messages, { id, role: 'assistant', parts: [part] }]);
    this.#show('error');
  }
}

/** It ends with one message of a person, after an answer or at the beginning. */
const isQuestion = (messages: readonly { readonly role: string }[]): boolean =>
  messages.at(-1)?.role === 'user' && messages.at(-2)?.role !== 'user';

/** The end of a request that was not taken, in the words of the SDK. */
function refuse(connection: Connection, id: string, words: string): void {
  const frame = { type: 'cf_agent_use_chat_response', id, body: words, done: true, error: true };
  connection.send(JSON.stringify(frame));
}
