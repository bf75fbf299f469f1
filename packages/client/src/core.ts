import {
  type AttachmentRef,
  type AttentionAnswer,
  type AttentionChange,
  AttentionFrame,
  type BudgetPut,
  BudgetDefaults,
  BudgetState,
  Changes,
  type NodeBudgetPut,
  NodeBudgetState,
  CatalogItem,
  type DecisionCreate,
  FilepathError,
  FoundFiles,
  JobId,
  KeptFile,
  JobResult,
  type MergeCreate,
  type MessageCreate,
  ModelList,
  Node,
  type NodeCreate,
  NodeEntry,
  type NodePatch,
  type PushCreate,
  QueuedMessage,
  type QueuePatch,
  RepositoryCheck,
  type ResolveBy,
  Session,
  type SessionCreate,
  type SessionPatch,
  type SignalCreate,
  Snapshot,
  ThreadFrame,
  ThreadId,
  ThreadTail,
  Tree,
  TreeFrame,
} from '@filepath/protocol';
import { acceptedSeq, eventsPage, type EventsPage, field, health, whole } from './answers.ts';
import {
  Follower,
  type Following,
  type FollowOptions,
  type ThreadFollowOptions,
} from './follow.ts';
import { type ClientOptions, connectionOf, done } from './connection.ts';
import type { WebSocketLike } from './socket.ts';
import type { TreeChange } from '@filepath/protocol';

/** What a session needs: a page that shows one loads no more. */
export function createCore(options: ClientOptions = {}) {
  const { base, headers, send, socketUrl, openSocket } = connectionOf(options);

  const feed = (path: string) => ({
    open: (after: number): WebSocketLike =>
      openSocket(socketUrl(`${path}?after=${after}`), headers),
    probe: async (after: number) =>
      (await send('GET', `${path}?after=${after}&limit=1`)).body?.cancel(),
  });

  return {
    health: async () => health(await send('GET', '/api/health')),

    session: {
      create: async (body: SessionCreate) =>
        field(await send('POST', '/api/session', { body }), 'session', Session),
      list: async () => field(await send('GET', '/api/session'), 'sessions', Session.array()),
      get: async (id: string) => field(await send('GET', session(id)), 'session', Session),
      update: async (id: string, body: SessionPatch) =>
        field(await send('PATCH', session(id), { body }), 'session', Session),
      delete: async (id: string) => done(await send('DELETE', session(id))),
      tree: async (id: string) => whole(await send('GET', `${session(id)}/tree`), 'tree', Tree),
      signal: async (id: string, action: SignalCreate['action']) =>
        done(await send('POST', `${session(id)}/signal`, { body: { action } })),
    },

    repository: {
      /** Whether it can be cloned. */
      check: async (gitRepoUrl: string, signal?: AbortSignal) =>
        whole(
          await send('POST', '/api/repository/check', { body: { gitRepoUrl }, signal }),
          'check of a repository',
          RepositoryCheck,
        ),
    },

    node: {
      /** Of all sessions, the last changed first. */
      list: async () => field(await send('GET', '/api/node'), 'nodes', NodeEntry.array()),
      create: async (sessionId: string, body: NodeCreate) =>
        field(await send('POST', `${session(sessionId)}/node`, { body }), 'node', Node),
      update: async (sessionId: string, id: string, body: NodePatch) =>
        field(await send('PATCH', node(sessionId, id), { body }), 'node', Node),
      delete: async (sessionId: string, id: string) =>
        done(await send('DELETE', node(sessionId, id))),
      /** What the agent changed since its workspace was made; one file of it with all its hunks. */
      changes: async (id: string, file?: string) => {
        const query = file === undefined ? '' : `?file=${encodeURIComponent(file)}`;
        return field(await send('GET', `${ofNode(id)}/changes${query}`), 'changes', Changes);
      },
      /** Files of the agent's workspace whose path holds this. */
      files: async (id: string, query: string) => {
        const path = `${ofNode(id)}/files?q=${encodeURIComponent(query)}`;
        return whole(await send('GET', path), 'list of files', FoundFiles);
      },
      /** Merges the agent's branch. Null: it has not ended in time; the thread says how it does. */
      merge: async (id: string, body: Partial<MergeCreate>, waitSeconds = 20) => {
        const path = `${ofNode(id)}/merge?wait=${waitSeconds}`;
        const answer = await send('POST', path, { body });
        return answer.status === 202 ? null : field(answer, 'result', JobResult);
      },
      /** Makes the conflict of its last merge a task. Says whose. */
      resolve: async (id: string, by: ResolveBy) =>
        field(
          await send('POST', `${ofNode(id)}/merge/resolve`, { body: { by } }),
          'node',
          ThreadId,
        ),
    },

    budget: {
      ofUser: async () => whole(await send('GET', '/api/budget'), 'budget', BudgetState),
      setOfUser: async (body: BudgetPut) =>
        whole(await send('PUT', '/api/budget', { body }), 'budget', BudgetState),
      defaults: async () =>
        whole(await send('GET', '/api/budget/defaults'), 'budgets', BudgetDefaults),
      setDefaults: async (body: BudgetDefaults) =>
        whole(await send('PUT', '/api/budget/defaults', { body }), 'budgets', BudgetDefaults),
      ofSession: async (id: string) =>
        whole(await send('GET', `${session(id)}/budget`), 'budget', BudgetState),
      setOfSession: async (id: string, body: BudgetPut) =>
        whole(await send('PUT', `${session(id)}/budget`, { body }), 'budget', BudgetState),
      ofNode: async (sessionId: string, id: string) =>
        whole(await send('GET', `${node(sessionId, id)}/budget`), 'budget', NodeBudgetState),
      setOfNode: async (sessionId: string, id: string, body: NodeBudgetPut) =>
        whole(
          await send('PUT', `${node(sessionId, id)}/budget`, { body }),
          'budget',
          NodeBudgetState,
        ),
    },

    thread: {
      /** The seq under which the message is in the log. */
      message: async (
        id: string,
        content: MessageCreate['content'],
        deliver?: MessageCreate['deliver'],
        attachments: readonly AttachmentRef[] = [],
      ) => {
        const files = attachments.length === 0 ? {} : { attachments };
        const body = { content, ...(deliver && { deliver }), ...files };
        return acceptedSeq(await send('POST', `${thread(id)}/message`, { body }));
      },
      /** Keeps a file, for messages to name it. */
      keepFile: async (id: string, file: Blob) =>
        field(await send('POST', `${thread(id)}/file`, { raw: file }), 'file', KeptFile),
      /** The messages that wait for the end of the open run. */
      queue: async (id: string) =>
        field(await send('GET', `${ofNode(id)}/queue`), 'messages', QueuedMessage.array()),
      requeue: async (id: string, messageId: string, content: QueuePatch['content']) =>
        acceptedSeq(await send('PATCH', queued(id, messageId), { body: { content } })),
      withdraw: async (id: string, messageId: string) =>
        acceptedSeq(await send('DELETE', queued(id, messageId))),
      /** Answers what the agent asked under this id. */
      decide: async (id: string, decisionId: string, body: DecisionCreate) => {
        const path = `${thread(id)}/decision/${encodeURIComponent(decisionId)}`;
        return acceptedSeq(await send('POST', path, { body }));
      },
      signal: async (
        id: string,
        action: SignalCreate['action'],
        more: Pick<SignalCreate, 'reason' | 'until'> = {},
      ) => done(await send('POST', `${thread(id)}/signal`, { body: { action, ...more } })),
      /** Begins again in a fresh process, from the last handoff or the first task. */
      restart: async (id: string) =>
        done(await send('POST', `/api/node/${encodeURIComponent(id)}/restart`)),
      events: async (
        id: string,
        page: { after?: number; limit?: number; signal?: AbortSignal } = {},
      ): Promise<EventsPage> => {
        const query = new URLSearchParams({ after: String(page.after ?? 0) });
        if (page.limit !== undefined) query.set('limit', String(page.limit));
        const path = `${thread(id)}/events?${query.toString()}`;
        return eventsPage(await send('GET', path, { signal: page.signal }));
      },
      /** The end of the log, or what comes before a seq. */
      tail: async (
        id: string,
        page: { before?: number; limit?: number; signal?: AbortSignal } = {},
      ): Promise<ThreadTail> => {
        const query = new URLSearchParams();
        if (page.before !== undefined) query.set('before', String(page.before));
        if (page.limit !== undefined) query.set('limit', String(page.limit));
        const path = `${thread(id)}/tail?${query.toString()}`;
        return whole(
          await send('GET', path, { signal: page.signal }),
          'end of a thread',
          ThreadTail,
        );
      },
      /** Pushes the agent's commits; the thread says how that ended. */
      push: async (id: string, body: PushCreate = {}) =>
        field(await send('POST', `${thread(id)}/push`, { body }), 'job', JobId),
      /** The same, waited for. Null: it has not ended in time. */
      pushed: async (id: string, body: PushCreate = {}, waitSeconds = 20) => {
        const path = `${thread(id)}/push?wait=${waitSeconds}`;
        const answer = await send('POST', path, { body });
        return answer.status === 202 ? null : field(answer, 'result', JobResult);
      },
      /** Makes a snapshot of the workspace; the thread says how that ended. */
      snapshot: async (id: string) =>
        field(await send('POST', `${thread(id)}/snapshot`), 'job', JobId),
      snapshots: async (id: string) =>
        field(await send('GET', `${thread(id)}/snapshot`), 'snapshots', Snapshot.array()),
      /** NDJSON, as it comes. */
      export: async (id: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> => {
        const response = await send('GET', `${thread(id)}/export`, { signal, unbounded: true });
        if (response.body) return response.body;
        throw new FilepathError('internal', `filepath answered the export of ${id} with no body.`);
      },
    },

    attention: {
      /** Answers what waits for the caller. */
      answer: async (id: string, body: AttentionAnswer) =>
        done(await send('POST', `/api/attention/${encodeURIComponent(id)}`, { body })),
      follow: (follow: FollowOptions<AttentionChange>): Following =>
        new Follower(
          {
            ...feed('/api/attention/events'),
            parse: (data) => AttentionFrame.parse(json(data)),
            dense: false,
          },
          follow,
        ),
    },

    /** The kinds of agents there are. */
    catalog: async () => field(await send('GET', '/api/catalog'), 'agents', CatalogItem.array()),

    snapshot: {
      list: async () => field(await send('GET', '/api/snapshot'), 'snapshots', Snapshot.array()),
      delete: async (id: string) => done(await send('DELETE', snapshot(id))),
      /** Where the archive is had: a browser downloads it from here. */
      url: (id: string): string => new URL(snapshot(id), base).href,
    },

    models: async () => whole(await send('GET', '/api/models'), 'list of models', ModelList),

    followThread: (id: string, follow: ThreadFollowOptions): Following =>
      new Follower(
        {
          ...feed(`${thread(id)}/events`),
          parse: (data) => ThreadFrame.parse(json(data)),
          dense: true,
        },
        follow,
      ),
    followTree: (sessionId: string, follow: FollowOptions<TreeChange>): Following =>
      new Follower(
        {
          ...feed(`${session(sessionId)}/events`),
          parse: (data) => TreeFrame.parse(json(data)),
          dense: false,
        },
        follow,
      ),
  };
}

const session = (id: string): string => `/api/session/${encodeURIComponent(id)}`;
const ofNode = (id: string): string => `/api/node/${encodeURIComponent(id)}`;
const queued = (id: string, messageId: string): string =>
  `${ofNode(id)}/queue/${encodeURIComponent(messageId)}`;
const thread = (id: string): string => `/api/thread/${encodeURIComponent(id)}`;
const snapshot = (id: string): string => `/api/snapshot/${encodeURIComponent(id)}`;
const node = (sessionId: string, id: string): string =>
  `${session(sessionId)}/node/${encodeURIComponent(id)}`;

function json(data: unknown): unknown {
  if (typeof data !== 'string') throw new Error('expected a text frame');
  return JSON.parse(data);
}
