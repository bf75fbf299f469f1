import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiteclawTools, LiteclawTunnel, TunnelCreated } from '@filepath/protocol';
import { type ToolReceipt } from '@filepath/protocol/sky';
import {
  type Api,
  type Instance,
  type ModelServer,
  tempDir,
  type TempDir,
} from '@filepath/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { ChatClient, exported, transcript, user } from './chat-support.ts';
import { HandMade, isConnected, Machine, newKey, newTunnel } from './tunnel-support.ts';

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;
let dir: TempDir;
let served: string;
const clients: ChatClient[] = [];
const hands: HandMade[] = [];
const machines: Machine[] = [];

beforeAll(async () => {
  chats = await startChatInstance({
    LITECLAW_MESSAGES_PER_MINUTE: '200',
    LITECLAW_TOOL_SECONDS: '10',
  });
  ({ server, instance, api, id } = chats);
  await use('tunnel');
});

beforeEach(() => {
  dir = tempDir('tunnel');
  served = join(dir.path, 'project');
  mkdirSync(served);
  writeFileSync(join(served, 'notes.md'), 'one\ntwo\n');
  writeFileSync(join(dir.path, 'secret'), 'nobody outside may read this');
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const hand of hands.splice(0)) hand.close();
  for (const machine of machines.splice(0)) await machine.kill();
  for (const { id: tunnel } of await tunnels())
    await api.call('DELETE', `/api/liteclaw/tunnels/${tunnel}`);
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
  dir.remove();
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
});

const use = (executor: string): Promise<LiteclawTools> =>
  api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', { policy: 'read-write', executor });

async function tunnels(): Promise<LiteclawTunnel[]> {
  const schema = z.object({ tunnels: z.array(LiteclawTunnel) });
  return (await api.json(schema, 'GET', '/api/liteclaw/tunnels')).tunnels;
}

const connected = (many = 1): Promise<void> =>
  vi.waitFor(async () => expect((await tunnels()).filter(isConnected)).toHaveLength(many), {
    timeout: 60_000,
    interval: 50,
  });

function machine(token: string, tools?: string): Machine {
  const it = new Machine({
    url: instance.url,
    token,
    dir: served,
    home: join(dir.path, 'home'),
    ...(tools === undefined ? {} : { tools }),
  });
  machines.push(it);
  return it;
}

function byHand(token: string): HandMade {
  const hand = new HandMade(instance.url, token);
  hands.push(hand);
  return hand;
}

type Call = { name: string; input: Record<string, unknown> };

/** The model makes these calls one after the other, and then says something. */
async function ask(...calls: Call[]): Promise<ToolReceipt[]> {
  server.play({ script: [...calls.map((call) => ({ tools: [call] })), { text: 'Done.' }] });
  const client = new ChatClient(instance, id);
  clients.push(client);
  const { text } = await client.say([user('Go')]);
  expect(text).toBe('Done.');
  return receipts();
}

async function receipts(): Promise<ToolReceipt[]> {
  const { lines } = await exported(api, id);
  return lines.flatMap(({ type, body }) =>
    type === 'receipt' && body.type === 'receipt.tool' ? [body] : [],
  );
}

const read = (path: string): Call => ({ name: 'read', input: { path } });

/** What the model was told of its last call. */
const told = (): string => JSON.stringify(server.calls.at(-1)?.request ?? null);

describe('a directory of a machine', () => {
  it('[TUN5] is read and edited, with receipts that the machine signed', async () => {
    const { token, tunnel } = await newTunnel(api);
    expect(tunnel).toMatchObject({ connected: false, publicKey: null, folder: null });
    const it = machine(token);
    await it.says('connected to');
    chmodSync(join(served, 'notes.md'), 0o640);
    const [first, second] = await ask(read('notes.md'), {
      name: 'edit',
      input: { path: 'notes.md', old: 'two', new: 'three' },
    });
    expect(readFileSync(join(served, 'notes.md'), 'utf8')).toBe('one\nthree\n');
    expect(statSync(join(served, 'notes.md')).mode & 0o777).toBe(0o640);
    expect(told()).toContain('three');
    const [shown] = await tunnels();
    expect(shown).toMatchObject({ connected: true, folder: 'project', tools: ['read', 'edit'] });
    const signed = { public_key: shown?.publicKey };
    const head = { executor: 'tunnel', status: 'completed', deterministic: false, local: signed };
    expect(first).toMatchObject({ tool_name: 'read', ...head });
    expect(second).toMatchObject({
      tool_name: 'edit',
      change: { path: 'notes.md' },
      ...head,
    });
    // The reader of the export has looked at the signatures of the machine too.
    const { events } = await exported(api, id);
    const started = events.filter(({ type }) => type === 'tool.call.started');
    expect(started).toHaveLength(2);
    for (const event of started) expect(event).toMatchObject({ executor: 'tunnel' });
    const parts = (await transcript(api, id)).flatMap((message) => message.parts);
    const kept = parts.filter(({ type }) => type === 'data-receipt');
    expect(kept.map(({ data }) => data)).toMatchObject([
      { executor: 'tunnel' },
      { executor: 'tunnel' },
    ]);
    expect(await it.stop()).toBe(0);
    expect(it.output).toContain('edit "notes.md": done');
    expect(it.output).not.toContain(token);
  });

  it('[TUN4] [T10] is not left, by no path and no link', async () => {
    symlinkSync(join(dir.path, 'secret'), join(served, 'link'));
    symlinkSync(dir.path, join(served, 'up'));
    const { token } = await newTunnel(api);
    await machine(token, 'read,edit,write').says('connected to');
    const done = await ask(
      read('link'),
      read('up/secret'),
      { name: 'write', input: { path: 'up/planted', text: 'x' } },
      { name: 'write', input: { path: '.git/hooks/pre-commit', text: 'x' } },
      read('../secret'),
    );
    expect(done.map(({ error_code: code }) => code)).toEqual([
      'out_of_scope',
      'out_of_scope',
      'out_of_scope',
      'out_of_scope',
      'bad_args',
    ]);
    expect(told()).not.toContain('nobody outside');
    expect(() => statSync(join(dir.path, 'planted'))).toThrow();
  });

  it('[TUN7] lets through what its user said at the machine, and no commands', async () => {
    const { token } = await newTunnel(api);
    const it = machine(token, 'read');
    await it.says('connected to');
    const done = await ask(
      { name: 'edit', input: { path: 'notes.md', old: 'two', new: 'x' } },
      { name: 'bash', input: { command: 'touch pwned' } },
    );
    expect(done).toMatchObject([
      { error_code: 'not_allowed', local: { claim: expect.stringContaining('not_allowed') } },
      { error_code: 'no_executor' },
    ]);
    expect(readFileSync(join(served, 'notes.md'), 'utf8')).toBe('one\ntwo\n');
    const wrong = machine(token, 'read,bash');
    expect(await wrong.exited).toBe(2);
    expect(wrong.output).toContain('not bash');
  });

  it('[TUN8] is nobody else’s place: without a machine, or with two, the call is refused', async () => {
    expect(await ask(read('notes.md'))).toMatchObject([{ error_code: 'tunnel_away' }]);
    const [one, other] = [await newTunnel(api, 'one'), await newTunnel(api, 'other')];
    for (const { token } of [one, other]) await byHand(token).hello(newKey());
    await connected(2);
    expect((await ask(read('notes.md'))).at(-1)).toMatchObject({ error_code: 'tunnel_several' });
  });
});

describe('a token', () => {
  it('[TUN1] is shown once, and ends at once when it is rotated or revoked', async () => {
    const { token, tunnel } = await newTunnel(api);
    expect(JSON.stringify(await tunnels())).not.toContain(token.slice(-60));
    const it = machine(token);
    await it.says('connected to');
    const path = `/api/liteclaw/tunnels/${tunnel.id}`;
    const next = await api.json(TunnelCreated, 'POST', path, { action: 'rotate' });
    expect(next.token).not.toBe(token);
    expect(await it.exited).toBe(1);
    expect(it.output).toContain('revoked or its token was rotated');
    const old = machine(token);
    expect(await old.exited).toBe(1);
    const anew = machine(next.token);
    await anew.says('connected to');
    expect((await api.call('DELETE', path)).status).toBe(204);
    expect(await anew.exited).toBe(1);
    expect((await ask(read('notes.md'))).at(-1)).toMatchObject({ error_code: 'tunnel_away' });
  });

  it('[TUN2] belongs to the first machine that proves its key', async () => {
    const { token } = await newTunnel(api);
    const key = newKey();
    const first = byHand(token);
    await first.hello(key);
    await first.next('welcome');
    const stranger = byHand(token);
    await stranger.hello(newKey());
    expect((await stranger.closed).code).toBe(4403);
    const liar = byHand(token);
    await liar.hello(key, ['read'], newKey());
    expect((await liar.closed).code).toBe(4403);
    const again = byHand(token);
    await again.hello(key);
    await again.next('welcome');
    expect((await first.closed).code).toBe(4409);
    await connected();
  });
});

describe('an answer', () => {
  it('[TUN6] is taken from the key of the tunnel, for the request that was made', async () => {
    const { token } = await newTunnel(api);
    const key = newKey();
    const hand = byHand(token);
    await hand.hello(key);
    await hand.next('welcome');
    const good = { text: 'good' };
    const wrongs: ((request: Awaited<ReturnType<HandMade['asked']>>) => Promise<void>)[] = [
      (request) => hand.answer(request, newKey(), good),
      (request) => hand.answer(request, key, good, { tool: 'edit' }),
      (request) => hand.answer(request, key, good, { args_hash: 'f'.repeat(64) }),
      (request) => hand.answer(request, key, good, {}, { text: 'other' }),
    ];
    for (const wrong of wrongs) {
      const asking = ask(read('notes.md'));
      await wrong(await hand.asked());
      const last = (await asking).at(-1);
      expect(last).toMatchObject({ error_code: 'unverified', status: 'error' });
      expect(last?.local).toBeUndefined();
    }
    const asking = ask(read('notes.md'));
    const request = await hand.asked();
    await hand.answer({ ...request, nonce: 'x'.repeat(32) }, key, { text: 'of another call' });
    await hand.answer(request, key, good);
    expect((await asking).at(-1)).toMatchObject({ status: 'completed' });
    expect(told()).toContain('good');
    expect(told()).not.toContain('of another call');
  });

  it('[TUN9] that does not come ends with words: revoked, gone, late or stopped', async () => {
    const { token, tunnel } = await newTunnel(api);
    const key = newKey();
    const path = `/api/liteclaw/tunnels/${tunnel.id}`;
    const hold = async () => {
      const hand = byHand(token);
      await hand.hello(key);
      await hand.next('welcome');
      const asking = ask(read('notes.md'));
      const request = await hand.asked();
      return { hand, asking, request };
    };
    const gone = await hold();
    gone.hand.close();
    expect((await gone.asking).at(-1)).toMatchObject({ error_code: 'tunnel_lost' });
    const ended = await hold();
    await api.call('POST', path, { action: 'disconnect' });
    expect((await ended.asking).at(-1)).toMatchObject({ error_code: 'tunnel_lost' });
    const late = await hold();
    expect((await late.asking).at(-1)).toMatchObject({ error_code: 'timeout' });
    const revoked = await hold();
    const began = Date.now();
    await api.call('DELETE', path);
    expect((await revoked.asking).at(-1)).toMatchObject({ error_code: 'tunnel_revoked' });
    expect(Date.now() - began).toBeLessThan(9_000);
    expect((await revoked.hand.closed).code).toBe(4401);
  });
});

it('[TUN10] a machine that lost its connection dials again and goes on', async () => {
  const { token, tunnel } = await newTunnel(api);
  const it = machine(token);
  await it.says('connected to');
  await api.call('POST', `/api/liteclaw/tunnels/${tunnel.id}`, { action: 'disconnect' });
  await it.says('connected to', 2);
  await connected();
  expect(await ask(read('notes.md'))).toMatchObject([{ status: 'completed' }]);
  await instance.killEngine();
  await it.says('connected to', 3);
  await connected();
  expect((await ask(read('notes.md'))).at(-1)).toMatchObject({ status: 'completed' });
});
