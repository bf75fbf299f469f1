import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LiteclawTools, LiteclawWorkspace } from '@filepath/protocol';
import { type Api, gate, type Instance, type ModelServer, tempDir } from '@filepath/testkit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { ChatClient, read, textOf, transcript, user } from './chat-support.ts';

const CLI = fileURLToPath(new URL('../packages/cli/dist/filepath.js', import.meta.url));

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;
let inside = 0;
const heard: string[] = [];
const clients: ChatClient[] = [];
const web = createServer((request, response) => {
  heard.push(request.url ?? '');
  if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/' });
  else if (request.url === '/round')
    response.writeHead(302, { location: `http://127.0.0.1:${inside}/` });
  response.end('a page of this machine');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => web.listen(0, resolve));
  inside = (web.address() as AddressInfo).port;
  chats = await startChatInstance({
    LITECLAW_MESSAGES_PER_MINUTE: '200',
    LITECLAW_TOOL_CALLS: '4',
    FILEPATH_EGRESS_PRIVATE: `localhost:${inside}`,
  });
  ({ server, instance, api, id } = chats);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
  await rules('none');
  heard.length = 0;
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
  web.close();
});

const rules = (policy: string, allow: string[] = []) =>
  api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', { policy, allow });

function connect(): ChatClient {
  const client = new ChatClient(instance, id);
  clients.push(client);
  return client;
}

const calls = (name: string, input: Record<string, unknown>) => ({
  tools: [{ name, input }],
  chunk: 7,
});

/** What the model was told of the last call. */
const told = (): string => JSON.stringify(server.calls.at(-1)?.request.results);

it('[TOOL15] goes on after its tools until it has an answer; the calls are parts of it', async () => {
  await rules('read-write', [`localhost:${inside}`]);
  server.play({
    script: [
      { text: 'I look.', ...calls('http_fetch', { url: `http://localhost:${inside}/page` }) },
      calls('write', { path: 'notes.md', text: '# Page\na page\n' }),
      calls('edit', { path: 'notes.md', old: 'a page', new: 'one page' }),
      { text: 'It is written down.' },
    ],
  });
  const said = user('Note the page');
  const answer = await read(await connect().send([said]));
  expect(answer).toMatchObject({ error: null, text: 'I look.It is written down.' });
  expect(answer.types.filter((type) => type === 'tool-output-available')).toHaveLength(3);
  expect(answer.types).toContain('tool-input-delta');
  expect(heard).toEqual(['/page']);
  const stored = await transcript(api, id);
  expect(stored.map(textOf)).toEqual(['Note the page', 'I look.It is written down.']);
  const parts = stored[1]?.parts.filter(({ type }) => type.startsWith('tool-'));
  expect(parts).toMatchObject([
    {
      type: 'tool-http.fetch',
      state: 'output-available',
      output: { text: 'a page of this machine' },
    },
    { type: 'tool-write', state: 'output-available', input: { path: 'notes.md' } },
    { type: 'tool-edit', state: 'output-available', output: { path: 'notes.md' } },
  ]);

  // Nothing was said before this: the export has the whole log.
  const file = await exported();
  expect(await filepath('verify', file)).toMatchObject({ code: 0 });
  expect(await filepath('replay', file)).toEqual({
    code: 0,
    said: 'ok: 3 calls compared with their receipts, 2 of them done again, 0 on files that are not in the export\n',
  });
});

it('[TOOL1] a chat whose tools are switched off is given none', async () => {
  server.play({ script: [{ text: 'No.' }] });
  await connect().say([user('Fetch it')]);
  expect(server.calls.at(-1)?.request).toMatchObject({ tools: [] });
  expect(server.calls.at(-1)?.request.system).toContain('You have no tools');
});

it('[TOOL6] [TOOL7] keeps texts, values and tables of its own', async () => {
  await rules('read-write');
  server.play({
    script: [
      calls('r2_put', { key: 'a.txt', text: 'in a bucket' }),
      calls('kv_put', { key: 'b', value: 'in a store' }),
      calls('d1_query', { sql: 'CREATE TABLE note (body TEXT)' }),
      calls('d1_query', { sql: 'INSERT INTO note VALUES (?)', params: ['in a table'] }),
      { text: 'Kept.' },
    ],
  });
  expect(await connect().say([user('Keep it')])).toMatchObject({ text: 'Kept.', error: null });
  await rules('read-only');
  server.play({
    script: [
      {
        tools: [
          { name: 'r2_get', input: { key: 'a.txt' } },
          { name: 'kv_get', input: { key: 'b' } },
          { name: 'd1_query', input: { sql: 'SELECT body FROM note' } },
        ],
      },
      { text: 'Found.' },
    ],
  });
  const stored = await transcript(api, id);
  const found = await connect().say([...stored, user('Find it')]);
  expect(found).toMatchObject({ text: 'Found.', error: null });
  for (const text of ['in a bucket', 'in a store', 'in a table']) expect(told()).toContain(text);
});

it('[TOOL2] a refusal is told to the model, which answers', async () => {
  await rules('read-only');
  server.play({ script: [calls('write', { path: 'a', text: 'b' }), { text: 'I may not.' }] });
  const answer = await connect().say([user('Write')]);
  expect(answer).toMatchObject({ text: 'I may not.', error: null });
  expect(told()).toContain('read-only');
  const [, reply] = await transcript(api, id);
  expect(reply?.parts[0]).toMatchObject({ type: 'tool-write', state: 'output-error' });
});

it('[TOOL3] calls beyond the budget are refused, and the answer comes', async () => {
  await rules('read-only');
  const again = calls('read', { path: 'none' });
  server.play({ script: [again, again, again, again, again, { text: 'Enough.' }] });
  expect(await connect().say([user('Read')])).toMatchObject({ text: 'Enough.', error: null });
  expect(told()).toContain('At most 4 calls');
});

it('[TOOL11] arguments that do not fit come back to the model as an error', async () => {
  await rules('read-only');
  server.play({ script: [calls('read', { path: '../etc/passwd' }), { text: 'Not that way.' }] });
  expect(await connect().say([user('Read')])).toMatchObject({ text: 'Not that way.', error: null });
  expect(told()).toContain('expected a path in the workspace');
});

it.each([
  ['T14', () => `http://127.0.0.1:${inside}/`, () => `127.0.0.1:${inside}`],
  ['T14', () => `http://[::1]:${inside}/`, () => `[::1]:${inside}`],
  ['T16', () => `http://localhost:${instance.port}/api/health`, () => `localhost:${instance.port}`],
  ['T17', () => `http://localhost:${inside}@example.com/`, () => `localhost:${inside}`],
])('[TOOL5] %s: what is inside is not reached', async (_threat, url, allow) => {
  await rules('read-write', [allow()]);
  server.play({ script: [calls('http_fetch', { url: url() }), { text: 'No.' }] });
  expect(await connect().say([user('Fetch')])).toMatchObject({ text: 'No.', error: null });
  expect(told()).toMatch(/cannot be reached|is an address|no address of the web/);
  expect(heard).toEqual([]);
});

it.each(['/away', '/round'])(
  '[TOOL5] T15: a redirect inwards is not followed: %s',
  async (path) => {
    await rules('read-only', [`localhost:${inside}`]);
    const url = `http://localhost:${inside}${path}`;
    server.play({ script: [calls('http_fetch', { url }), { text: 'No.' }] });
    await connect().say([user('Fetch')]);
    expect(told()).toMatch(/is not among the hosts/);
    expect(heard).toEqual([path]);
  },
);

it('[TOOL15] stop ends a run in the middle of a call; the call is ended, and the next is answered', async () => {
  await rules('read-only');
  const held = gate(2);
  const input = { path: 'a/long/path/of/a/file.md' };
  const call = { tools: [{ name: 'read', input }], chunk: 4, gate: held };
  server.play({ script: [call, { text: 'Here.' }] });
  const client = connect();
  const begun = client.frame(({ body }) => String(body).includes('tool-input-delta'));
  const reading = read(await client.send([user('Read')]));
  await begun;
  const over = client.frame(({ outcome }) => outcome === 'aborted');
  client.transport.cancelActiveServerTurn();
  await over;
  held.release();
  await reading;
  const next = await client.say([...(await transcript(api, id)), user('Again')]);
  expect(next).toMatchObject({ text: 'Here.', error: null });
  const file = await exported();
  expect(await filepath('verify', file)).toMatchObject({ code: 0 });
  expect(await filepath('replay', file)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^ok: 1 calls/),
  });
});

it('[TOOL15] after a kill between a call and the answer the message is answered, and nothing hangs', async () => {
  await rules('read-write');
  const held = gate(0);
  const write = calls('write', { path: 'kept.md', text: 'kept' });
  server.play({ script: [write, { text: 'Never.', gate: held }, { text: 'Here I am.' }] });
  const client = connect();
  const reading = await client.send([user('Write it')]);
  await held.reached;
  await instance.killEngine();
  client.close();
  await reading.cancel().catch(() => undefined);
  const stored = await vi.waitFor(
    async () => {
      const found = await transcript(api, id);
      expect(found.map(textOf)).toEqual(['Write it', 'Here I am.']);
      return found;
    },
    { timeout: 90_000, interval: 250 },
  );
  const parts = stored[1]?.parts ?? [];
  expect(parts.filter(({ state }) => /^input|streaming/.test(String(state)))).toEqual([]);
  const workspace = await api.json(LiteclawWorkspace, 'GET', '/api/liteclaw/workspace');
  expect(workspace.files).toContainEqual({ path: 'kept.md', bytes: 4 });
  const file = await exported();
  expect(await filepath('verify', file)).toMatchObject({ code: 0 });
  expect(await filepath('replay', file)).toMatchObject({ code: 0 });
});

async function exported(): Promise<string> {
  const dir = tempDir();
  const file = join(dir.path, 'export.jsonl');
  const response = await fetch(`http://127.0.0.1:${instance.port}/agents/chat/${id}/export`, {
    headers: { authorization: `Bearer ${instance.token}` },
  });
  writeFileSync(file, await response.text());
  return file;
}

function filepath(...args: string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], (error, stdout) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout }),
    );
  });
}
