import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  newJobId,
  newMemoryId,
  newSessionId,
  newThreadId,
  NO_BUDGET,
  NO_USAGE,
  snapshotOfJob,
} from '@filepath/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../src/index.ts';
import { event } from './feed-server.ts';

type Asked = { method: string; url: string; body: unknown; headers: IncomingMessage['headers'] };

const sessionId = newSessionId();
const threadId = newThreadId();
const at = '2026-01-01T00:00:00.000Z';
const session = {
  id: sessionId,
  name: 'calm-41',
  gitRepoUrl: null,
  status: 'draft',
  rootNodeId: null,
  nodeCount: 0,
  createdAt: at,
  updatedAt: at,
};
const node = {
  id: threadId,
  sessionId,
  parentId: null,
  name: 'root',
  slug: 'root-x1',
  agentType: 'custom',
  model: '',
  status: 'idle',
  reason: null,
  config: { command: ['sh'] },
  sortOrder: 0,
  tokens: 0,
  usage: NO_USAGE,
  subtree: NO_USAGE,
  budget: NO_BUDGET,
  blocked: null,
  queue: null,
  contextPct: null,
  done: 0,
  total: 1,
  createdAt: at,
  updatedAt: at,
};

let http: Server;
let client: Client;
let asked: Asked[];
let answer: { status: number; body: string };

const reply = (status: number, body: unknown): void => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
};

beforeEach(async () => {
  asked = [];
  http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      asked.push({ method, url, body: text === '' ? null : JSON.parse(text), headers });
      response.statusCode = answer.status;
      response.end(answer.body);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'secret' });
});
afterEach(() => {
  http.closeAllConnections();
  http.close();
});

describe('requests', () => {
  it('creates a session with the bearer token', async () => {
    reply(201, { session });
    expect(await client.session.create({ name: 'calm-41' })).toEqual(session);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/api/session',
      body: { name: 'calm-41' },
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
  });

  it('keeps a file as it is, and names it in a message', async () => {
    const file = { sha256: 'a'.repeat(64), bytes: 6, type: 'application/json' };
    reply(201, { file });
    const sent = new Blob(['{"a":1}'], { type: 'application/json' });
    expect(await client.thread.keepFile(threadId, sent)).toEqual(file);
    reply(202, { seq: 1 });
    const attachments = [{ name: 'a.json', sha256: file.sha256 }];
    await client.thread.message(threadId, 'see', undefined, attachments);
    expect(asked).toMatchObject([
      { method: 'POST', url: `/api/thread/${threadId}/file`, body: { a: 1 } },
      { url: `/api/thread/${threadId}/message`, body: { content: 'see', attachments } },
    ]);
  });

  it('finds files of a workspace', async () => {
    reply(200, { files: ['src/a b.ts'], truncated: false });
    expect((await client.node.files(threadId, 'a b')).files).toEqual(['src/a b.ts']);
    expect(asked[0]?.url).toBe(`/api/node/${threadId}/files?q=a%20b`);
  });

  it('lists sessions and reads a tree', async () => {
    reply(200, { sessions: [session] });
    expect(await client.session.list()).toEqual([session]);
    reply(200, { session, nodes: [node] });
    expect((await client.session.tree(sessionId)).nodes).toEqual([node]);
  });

  it('spawns and deletes a node', async () => {
    reply(201, { node });
    await client.node.create(sessionId, { agentType: 'custom', config: { command: ['sh'] } });
    reply(204, '');
    await client.node.delete(sessionId, threadId);
    expect(asked.map((one) => `${one.method} ${one.url}`)).toEqual([
      `POST /api/session/${sessionId}/node`,
      `DELETE /api/session/${sessionId}/node/${threadId}`,
    ]);
  });

  it('lists, adds, changes and deletes what is remembered', async () => {
    const memory = {
      id: newMemoryId(),
      scope: 'user',
      key: null,
      content: 'Be brief.',
      tags: [],
      source: { by: 'person' },
      createdAt: at,
      updatedAt: at,
      uses: 0,
      lastUsedAt: null,
    };
    reply(200, { memories: [memory], total: 7 });
    expect(await client.memory.list({ q: 'a b', scope: 'user', repository: undefined })).toEqual({
      memories: [memory],
      total: 7,
    });
    const stored = { memory, refreshed: false, dropped: 0 };
    reply(201, stored);
    expect(await client.memory.add({ content: 'Be brief.' })).toEqual(stored);
    reply(200, { memory });
    expect(await client.memory.update(memory.id, { content: 'x' })).toEqual(memory);
    reply(204, '');
    await client.memory.delete(memory.id);
    expect(asked.map((one) => `${one.method} ${one.url}`)).toEqual([
      'GET /api/memories?q=a+b&scope=user',
      'POST /api/memories',
      `PATCH /api/memories/${memory.id}`,
      `DELETE /api/memories/${memory.id}`,
    ]);
  });

  it('sends a message and gets its seq', async () => {
    reply(202, { seq: 7 });
    expect(await client.thread.message(threadId, 'go')).toBe(7);
    expect(asked[0]?.body).toEqual({ content: 'go' });
  });

  it('signals a thread and a session', async () => {
    reply(202, {});
    await client.thread.signal(threadId, 'stop');
    await client.session.signal(sessionId, 'stop');
    expect(asked.map((one) => one.body)).toEqual([{ action: 'stop' }, { action: 'stop' }]);
  });

  it('orders a push and a snapshot, and reads, names and deletes snapshots', async () => {
    const job = newJobId();
    reply(202, { job });
    expect(await client.thread.push(threadId, { branch: 'x' })).toBe(job);
    expect(await client.thread.snapshot(threadId)).toBe(job);
    reply(200, { snapshots: [] });
    expect(await client.thread.snapshots(threadId)).toEqual([]);
    expect(await client.snapshot.list()).toEqual([]);
    reply(204, '');
    const id = snapshotOfJob(job);
    await client.snapshot.delete(id);
    expect(client.snapshot.url(id)).toMatch(`/api/snapshot/${id}`);
    expect(asked.map((one) => `${one.method} ${one.url}`)).toEqual([
      `POST /api/thread/${threadId}/push`,
      `POST /api/thread/${threadId}/snapshot`,
      `GET /api/thread/${threadId}/snapshot`,
      'GET /api/snapshot',
      `DELETE /api/snapshot/${id}`,
    ]);
    expect(asked[0]?.body).toEqual({ branch: 'x' });
  });

  it('reads and sets budgets of the user, a session and a node', async () => {
    const state = { budget: NO_BUDGET, usage: NO_USAGE, reserved: { tokens: 0, usd: 0 } };
    const body = { budget: { tokens: null, usd: 5 } };
    reply(200, { ...state, own: state });
    expect(await client.budget.ofUser()).toEqual(state);
    await client.budget.setOfUser(body);
    await client.budget.ofSession(sessionId);
    await client.budget.setOfSession(sessionId, body);
    expect(await client.budget.ofNode(sessionId, threadId)).toEqual({ ...state, own: state });
    await client.budget.setOfNode(sessionId, threadId, body);
    const ofSession = `/api/session/${sessionId}/budget`;
    const ofNode = `/api/session/${sessionId}/node/${threadId}/budget`;
    expect(asked.map((one) => `${one.method} ${one.url}`)).toEqual([
      'GET /api/budget',
      'PUT /api/budget',
      `GET ${ofSession}`,
      `PUT ${ofSession}`,
      `GET ${ofNode}`,
      `PUT ${ofNode}`,
    ]);
    expect(asked[5]?.body).toEqual(body);
  });

  it('pages events', async () => {
    reply(200, { events: [event(3)], next: 3 });
    const page = await client.thread.events(threadId, { after: 2, limit: 1 });
    expect(page).toEqual({ events: [event(3)], next: 3 });
    expect(asked[0]?.url).toBe(`/api/thread/${threadId}/events?after=2&limit=1`);
  });

  it('streams an export', async () => {
    reply(200, '{"type":"export"}\n');
    expect(await new Response(await client.thread.export(threadId)).text()).toBe(answer.body);
  });

  it('says whether agents can run', async () => {
    reply(200, { status: 'ok', agents: { available: false, reason: 'bubblewrap is missing' } });
    expect(await client.health()).toEqual({
      agents: { available: false, reason: 'bubblewrap is missing' },
    });
    reply(200, { status: 'ok' });
    expect((await client.health()).agents.available).toBe(true);
  });

  it('keeps a hostile id inside its path segment', async () => {
    reply(404, { error: { code: 'not_found', message: 'none' } });
    await expect(client.session.get('../../x?y')).rejects.toMatchObject({ code: 'not_found' });
    expect(asked[0]?.url).toBe('/api/session/..%2F..%2Fx%3Fy');
  });
});

describe('failures', () => {
  it('carries code, message and details of the API', async () => {
    const error = { code: 'conflict', message: 'already stopped', details: { at } };
    reply(409, { error });
    await expect(client.session.list()).rejects.toMatchObject(error);
  });

  it.each([
    [401, 'unauthenticated'],
    [502, 'unavailable'],
    [418, 'bad_request'],
  ])('names a code for a bare %i', async (status, code) => {
    reply(status, '<html>');
    await expect(client.session.list()).rejects.toMatchObject({ code });
  });

  it('refuses an answer that does not fit its schema', async () => {
    reply(200, { session: { ...session, id: 'th_1' } });
    await expect(client.session.get(sessionId)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('id: expected an id like ses_'),
    });
    reply(200, 'not json');
    await expect(client.session.get(sessionId)).rejects.toMatchObject({ code: 'internal' });
    reply(202, {});
    await expect(client.thread.message(threadId, 'x')).rejects.toMatchObject({ code: 'internal' });
  });

  it('says that filepath did not answer', async () => {
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
    await expect(client.session.list()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('throws the abort of the caller as it is', async () => {
    reply(200, { events: [], next: null });
    const aborted = AbortSignal.abort(new Error('left'));
    await expect(client.thread.events(threadId, { signal: aborted })).rejects.toThrow('left');
  });

  it('needs a base URL outside a browser', () => {
    expect(() => createClient()).toThrow('baseUrl');
  });
});
