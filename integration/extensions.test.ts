import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiteclawTools } from '@filepath/protocol';
import { gate } from '@filepath/testkit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { ChatClient, exported, user } from './chat-support.ts';
import { extensionEnv, Operator, skyEcho, toolOf } from './extension-support.ts';

let chats: ChatInstance;
let operator: Operator;
let client: ChatClient | null = null;
const heard: string[] = [];
/** This machine by its two names: the operator permits both. */
let host = '';
let other = '';
const web = createServer((request, response) => {
  heard.push(request.url ?? '');
  if (request.url === '/away') response.writeHead(302, { location: `http://${other}/there` });
  response.end('a page of this machine');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => web.listen(0, resolve));
  const { port } = web.address() as AddressInfo;
  host = `localhost:${port}`;
  other = `127.0.0.1:${port}`;
  chats = await startChatInstance({
    ...extensionEnv('sky.echo', 'test.prompt@1.0.0', 'test.code', 'test.hooks', 'test.web'),
    LITECLAW_MESSAGES_PER_MINUTE: '200',
    FILEPATH_EGRESS_PRIVATE: `${host},${other}`,
  });
  operator = new Operator(chats.instance, chats.id);
  await operator.add(skyEcho());
});

afterEach(async () => {
  client?.close();
  client = null;
  await operator.enable();
  await chats.api.call('POST', '/api/liteclaw', { action: 'reset' });
  heard.length = 0;
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
  web.close();
});

const rules = (policy: string, allow: string[] = []) =>
  chats.api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', { policy, allow });

type Script = Parameters<ChatInstance['server']['play']>[0]['script'];
type Step = Extract<Script, readonly unknown[]>[number];

/** Says something, while the model plays its script. */
async function say(...script: Step[]) {
  chats.server.play({ script });
  client ??= new ChatClient(chats.instance, chats.id);
  const answer = await client.say([user('Go')]);
  expect(answer.error).toBeNull();
  return answer;
}

const calls = (name: string, input: Record<string, unknown> = {}) => ({ tools: [{ name, input }] });
const request = () => chats.server.calls.at(-1)?.request;
/** What the model was told of the last call. */
const told = (): string => JSON.stringify(request()?.results);
const metrics = async (): Promise<string> => (await chats.api.call('GET', '/api/metrics')).text();

it('[EXT1] an extension adds a tool: it is called, logged, has a receipt and is counted', async () => {
  const { tools } = await rules('read-only');
  expect(tools.some(({ name }) => name === 'sky.echo')).toBe(false);
  const shown = await operator.enable('sky.echo@1.0.0');
  expect(shown.extensions).toMatchObject([
    { name: 'sky.echo', tools: ['sky.echo'], refused: null },
  ]);
  expect((await rules('read-only')).tools.at(-1)).toMatchObject({
    name: 'sky.echo',
    label: 'Echo',
    extension: 'sky.echo@1.0.0',
    allowed: true,
  });
  await say(calls('sky_echo', { text: 'hello', times: 2 }), { text: 'Said.' });
  expect(told()).toContain('hello hello');
  expect(JSON.stringify(request())).toContain('When you are asked for an echo');
  const { events, lines, rows } = await exported(chats.api, chats.id);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'tool.call.started',
      tool_name: 'sky.echo',
      executor: 'workers',
    }),
  );
  const receipts = lines.flatMap(({ type, body }) => (type === 'receipt' ? [body] : []));
  expect(receipts).toContainEqual(
    expect.objectContaining({ type: 'receipt.tool', tool_name: 'sky.echo', status: 'completed' }),
  );
  expect(rows.length).toBeGreaterThan(0);
  const text = await metrics();
  expect(text).toContain('liteclaw_extension_calls_total{extension="sky.echo",of="tool"} 1');
  expect(text).toContain('liteclaw_extension_errors_total{extension="sky.echo",of="tool"} 0');
  expect(text).toContain('liteclaw_extension_duration_seconds_count{extension="sky.echo"} 1');
});

it('[EXT2] without the secret, with another, or by an unknown chat nothing is told or changed', async () => {
  for (const secret of ['', 'wrong'])
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['GET', '/catalog'],
      ['PUT', '/catalog'],
      ['DELETE', '/catalog'],
    ] as const)
      expect(
        (await operator.ask(method, path, method === 'GET' ? undefined : {}, secret)).status,
      ).toBe(401);
  const other = new Operator(chats.instance, `th_${'a'.repeat(22)}`);
  expect((await other.ask('GET', '')).status).toBe(404);
});

it('[EXT3] what has no version, is not allowed, or is not in the catalog is refused, and nothing changes', async () => {
  await operator.enable('sky.echo@1.0.0');
  await operator.add(toolOf('test.other', '() => 1'));
  expect(await operator.refused('sky.echo')).toContain('expected name@version');
  expect(await operator.refused('sky.echo@2.0.0')).toContain('not in the catalog');
  expect(await operator.refused('test.other@1.0.0')).toContain('does not allow');
  expect(await operator.refused('sky.echo@1.0.0', 'test.other@1.0.0')).toContain('does not allow');
  expect((await operator.shown()).extensions.map(({ name }) => name)).toEqual(['sky.echo']);
});

it('[EXT4] a version stays what it is: other content is refused, and one that is removed is left out', async () => {
  const { manifest } = skyEcho();
  const other = { manifest, code: "export default { tools: { 'sky.echo': () => 'other' } }" };
  expect((await operator.ask('PUT', '/catalog', other)).status).toBe(409);
  await operator.add(toolOf('test.code', '() => 1'));
  await operator.enable('test.code@1.0.0');
  expect((await operator.ask('DELETE', '/catalog', { remove: 'test.code@1.0.0' })).status).toBe(
    204,
  );
  await operator.add(toolOf('test.code', '() => 2'));
  expect((await operator.shown()).extensions).toMatchObject([
    { name: 'test.code', refused: expect.stringContaining('another hash') },
  ]);
  await rules('read-only');
  await say({ text: 'Without it.' });
  expect(request()?.tools).not.toContain('test_code');
  await expect
    .poll(() => readFileSync(join(chats.instance.home, 'engine.log'), 'utf8'))
    .toMatch(/extension refused.*another hash/);
  expect(await metrics()).toContain('liteclaw_extension_refused_total{extension="test.code"} 1');
});

it('[EXT5] code that has a tool which its manifest does not declare is refused', async () => {
  const { manifest } = toolOf('test.code', '() => 1', { version: '1.0.1' });
  const code = "export default { tools: { 'test.code': () => 1, 'test.code.more': () => 2 } }";
  await operator.add({ manifest, code });
  expect(await operator.refused('test.code@1.0.1')).toContain('test.code.more, which its manifest');
  const none = 'export default {}';
  await operator.add({ manifest: { ...manifest, version: '1.0.2' }, code: none });
  expect(await operator.refused('test.code@1.0.2')).toContain('which its code does not have');
});

it('[EXT6] one without code adds to the system prompt, and is gone from it when it is switched off', async () => {
  const prompts = { system: 'Speak of herons.' };
  const manifest = { name: 'test.prompt', version: '1.0.0', description: 'Herons.', prompts };
  await operator.add({ manifest });
  await operator.enable('test.prompt@1.0.0');
  await say({ text: 'Herons.' });
  expect(JSON.stringify(request())).toContain('Speak of herons.');
  await operator.enable();
  await say({ text: 'No.' });
  expect(JSON.stringify(request())).not.toContain('Speak of herons.');
});

it('[EXT7] code reaches no network, no binding and no file', async () => {
  const code = `async () => {
    const out = {};
    const attempt = async (name, work) => {
      try { await work(); out[name] = 'reached'; } catch { out[name] = 'cut'; }
    };
    await attempt('fetch', () => fetch('http://${host}/'));
    await attempt('socket', async () => {
      const { connect } = await import('cloudflare:sockets');
      await connect('${host}').opened;
    });
    await attempt('cache', () => caches.default.match('http://${host}/'));
    await attempt('files', () => import('node:fs'));
    out.env = Object.keys((await import('cloudflare:workers')).env);
    return out;
  }`;
  await operator.add(toolOf('test.code', code, { version: '2.0.0' }));
  await operator.enable('test.code@2.0.0');
  await rules('read-only', [host]);
  await say(calls('test_code'), { text: 'Cut.' });
  const [result] = request()?.results ?? [];
  expect(JSON.stringify(result)).toMatch(
    /fetch\W+cut.*socket\W+cut.*cache\W+cut.*files\W+cut.*env[\\":]+\[\]/,
  );
  expect(heard).toEqual([]);
});

it('[EXT8] the web is that of the chat, and of it the hosts that the manifest names', async () => {
  const code = '({ text }, { fetch }) => fetch({ url: text })';
  const permissions = { http: [host] };
  await operator.add(toolOf('test.web', code, { permissions }));
  await operator.add(
    toolOf('test.web', code, { version: '1.1.0', permissions: { http: ['example.com'] } }),
  );
  await operator.enable('test.web@1.0.0');
  await rules('read-only');
  await say(calls('test_web', { text: `http://${host}/page` }), { text: 'No.' });
  expect(told()).toContain('is not among the hosts this chat may ask');
  await rules('read-only', [host]);
  await say(calls('test_web', { text: `http://${host}/page` }), { text: 'Yes.' });
  expect(told()).toContain('a page of this machine');
  expect(heard).toEqual(['/page']);
  await rules('read-only', [host, other]);
  await say(calls('http_fetch', { url: `http://${host}/away` }), { text: 'The chat may.' });
  expect(heard.splice(0)).toEqual(['/page', '/away', '/there']);
  await say(calls('test_web', { text: `http://${host}/away` }), { text: 'It may not.' });
  expect(told()).toContain('not among the hosts that the manifest names');
  expect(heard.splice(0)).toEqual(['/away']);
  await operator.enable('test.web@1.1.0');
  await say(calls('test_web', { text: `http://${host}/other` }), { text: 'No.' });
  expect(told()).toContain('not among the hosts that the manifest names');
  expect(heard).toEqual([]);
});

it('[EXT9] a loop without an end is a failed call; the instance answers meanwhile, and extensions go on after it', async () => {
  await operator.add(toolOf('test.code', '() => { for (;;); }', { version: '3.0.0' }));
  await operator.enable('test.code@3.0.0', 'sky.echo@1.0.0');
  await rules('read-only');
  const next = chats.server.calls.length + 1;
  const looping = say(calls('test_code'), { text: 'It hung.' });
  await chats.server.call(next);
  expect((await chats.api.call('GET', '/api/health')).status).toBe(200);
  expect((await looping).text).toBe('It hung.');
  expect(told()).toMatch(/did not yield|took too long/);
  await say(calls('sky_echo', { text: 'still here' }), { text: 'Yes.' });
  expect(told()).toContain('still here');
  expect(await metrics()).toMatch(
    /liteclaw_extension_errors_total\{extension="test.code",of="tool"\} 1/,
  );
});

it('[EXT9] what takes all memory is ended too', async () => {
  const code =
    'async () => { const all = []; for (;;) { all.push(new Uint8Array(1e7).fill(1)); await null; } }';
  await operator.add(toolOf('test.code', code, { version: '3.1.0' }));
  await operator.enable('test.code@3.1.0');
  await rules('read-only');
  expect((await say(calls('test_code'), { text: 'It ended.' })).text).toBe('It ended.');
  expect(told()).toMatch(/was ended|took too long|memory/i);
});

it('[EXT10] switched off in the middle of an answer, its tool is not run any more', async () => {
  await operator.enable('sky.echo@1.0.0');
  await rules('read-only');
  const held = gate(0);
  const saying = say({ ...calls('sky_echo', { text: 'hello' }), gate: held }, { text: 'Off.' });
  await held.reached;
  await operator.enable();
  held.release();
  await saying;
  expect(told()).toContain('was switched off');
});

it('[EXT11] hooks see what their manifest asks for, and what they do wrong breaks no answer', async () => {
  const hooks = ['onRunStart', 'onMessage', 'onToolCall', 'onRunComplete'];
  const code = `export default { hooks: {
    onRunStart: () => { throw new Error('broken'); },
    onMessage: (seen) => ({ prompt: 'Seen: ' + Object.keys(seen).join('+') }),
    onToolCall: () => new Promise(() => {}),
    onRunComplete: () => ({ prompt: 7 }),
  } };`;
  const manifest = { name: 'test.hooks', version: '1.0.0', description: 'Hooks.', hooks };
  await operator.add({ manifest: { ...manifest, permissions: { prompt: true } }, code });
  const permissions = { prompt: true, messages: true };
  await operator.add({ manifest: { ...manifest, version: '1.1.0', permissions }, code });
  await operator.enable('test.hooks@1.0.0');
  await rules('read-only');
  await say(calls('read', { path: 'none.md' }), { text: 'Answered.' });
  expect(JSON.stringify(request())).toContain('Seen: run_id+message_id"');
  await operator.enable('test.hooks@1.1.0');
  await say({ text: 'Answered.' });
  expect(JSON.stringify(request())).toContain('Seen: run_id+message_id+text');
  await vi.waitFor(async () => {
    const text = await metrics();
    const errors = (of: string) =>
      Number(
        new RegExp(`errors_total\\{extension="test.hooks",of="${of}"\\} (\\d+)`).exec(text)?.[1],
      );
    expect([
      errors('onRunStart'),
      errors('onMessage'),
      errors('onToolCall'),
      errors('onRunComplete'),
    ]).toEqual([2, 0, 1, 2]);
  }, 60_000);
  const { rows } = await exported(chats.api, chats.id);
  const notes = rows
    .filter(({ source }) => source === 'system')
    .map(({ body }) => JSON.stringify(body));
  expect(notes.some((text) => text.includes('"of":"onRunStart"') && text.includes('broken'))).toBe(
    true,
  );
});
