import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newThreadId, newTunnelId } from '@filepath/protocol';
import {
  hashJson,
  helloClaim,
  isSignedBy,
  makeTunnelToken,
  reportClaim,
  requestClaim,
  TunnelReport,
  TunnelToWorker,
} from '@filepath/protocol/sky';
import { tempDir, type TempDir } from '@filepath/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Key, Machine, newKey } from './tunnel-support.ts';

const thread = newThreadId();
const tunnel = newTunnelId();
const CHALLENGE = 'c'.repeat(32);

type Hello = Extract<TunnelToWorker, { t: 'hello' }>;

/** Takes the place of a chat, and says what a chat would not. */
class Forger {
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  readonly key = newKey();
  #socket: WebSocket | null = null;
  #frames: TunnelToWorker[] = [];
  #waiting: (() => void)[] = [];
  hello: Hello | null = null;

  constructor() {
    this.#server.on('connection', (socket) => {
      this.#socket = socket;
      socket.on('message', (data: Buffer) => {
        this.#frames.push(TunnelToWorker.parse(JSON.parse(data.toString())));
        for (const wake of this.#waiting.splice(0)) wake();
      });
      socket.send(JSON.stringify({ t: 'challenge', v: 1, challenge: CHALLENGE }));
    });
  }

  async url(): Promise<string> {
    if (this.#server.address() === null) await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get token(): string {
    const secret = Buffer.alloc(32, 7).toString('base64url');
    return makeTunnelToken({ thread, tunnel, secret, signer: this.key.publicKey });
  }

  async next(): Promise<TunnelToWorker> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame) return frame;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async greet(): Promise<Hello> {
    const frame = await this.next();
    if (frame.t !== 'hello') throw new Error(`said ${frame.t} first`);
    this.hello = frame;
    this.#socket?.send(JSON.stringify({ t: 'welcome' }));
    return frame;
  }

  request(change: Record<string, unknown> = {}): string {
    const now = Date.now();
    return JSON.stringify({
      v: 1,
      thread,
      tunnel,
      session: this.hello?.session,
      nonce: Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url'),
      at: new Date(now).toISOString(),
      expires: new Date(now + 30_000).toISOString(),
      tool: 'edit',
      args: { path: 'notes.md', old: 'one', new: 'two' },
      ...change,
    });
  }

  async asks(request: string, by: Key = this.key, signed = request): Promise<TunnelToWorker> {
    const signature = by.sign(requestClaim(signed));
    this.#socket?.send(JSON.stringify({ t: 'call', request, signature }));
    return this.next();
  }

  drop(): void {
    this.#socket?.terminate();
  }

  close(): void {
    this.drop();
    this.#server.close();
  }
}

let dir: TempDir;
let served: string;
let forger: Forger;
let machine: Machine;

beforeEach(async () => {
  dir = tempDir('tunnel');
  served = join(dir.path, 'project');
  mkdirSync(served);
  writeFileSync(join(served, 'notes.md'), 'one one\n');
  forger = new Forger();
  machine = new Machine({
    url: await forger.url(),
    token: forger.token,
    dir: served,
    home: join(dir.path, 'home'),
  });
});

afterEach(async () => {
  await machine.kill();
  forger.close();
  dir.remove();
});

const notes = (): string => readFileSync(join(served, 'notes.md'), 'utf8');

describe('[TUN3] [T22] the command obeys its chat', () => {
  it('and nobody who forges, changes, repeats or delays what it says', async () => {
    const { publicKey, signature, ...hello } = await forger.greet();
    expect(
      await isSignedBy(
        publicKey,
        signature,
        helloClaim(tunnel, CHALLENGE, { publicKey, ...hello }),
      ),
    ).toBe(true);
    const far = new Date(Date.now() + 86_400_000).toISOString();
    const past = new Date(Date.now() - 86_400_000).toISOString();
    const all = { path: 'notes.md', old: 'one', new: 'two', all: true };
    const good = forger.request({ args: all });
    const refused = async (fault: string, answer: Promise<TunnelToWorker>): Promise<void> => {
      expect(await answer).toMatchObject({ t: 'refused', fault });
      expect(notes()).toBe('one one\n');
    };
    await refused('forged', forger.asks(good, newKey()));
    await refused('forged', forger.asks(good, forger.key, forger.request()));
    await refused('stale', forger.asks(forger.request({ args: all, session: 'x'.repeat(32) })));
    await refused('elsewhere', forger.asks(forger.request({ args: all, thread: newThreadId() })));
    await refused('elsewhere', forger.asks(forger.request({ args: all, tunnel: newTunnelId() })));
    await refused('early', forger.asks(forger.request({ args: all, at: far, expires: far })));
    await refused('expired', forger.asks(forger.request({ args: all, at: past, expires: far })));
    await refused('unreadable', forger.asks('{"tool":"edit"}'));
    const done = await forger.asks(good);
    if (done.t !== 'result') throw new Error(JSON.stringify(done));
    expect(await isSignedBy(publicKey, done.signature, reportClaim(done.report))).toBe(true);
    expect(TunnelReport.parse(JSON.parse(done.report))).toMatchObject({
      status: 'completed',
      args_hash: await hashJson(all),
      output_hash: await hashJson(done.output),
    });
    expect(notes()).toBe('two two\n');
    writeFileSync(join(served, 'notes.md'), 'one one\n');
    await refused('replayed', forger.asks(good));
    // Another connection has another session: what was said on the first holds there no more.
    forger.drop();
    const again = await forger.greet();
    expect(again.session).not.toBe(hello.session);
    expect(again.publicKey).toBe(publicKey);
    await refused('stale', forger.asks(good));
  });

  it('[TUN7] and lets through no tool that was not allowed at the machine, whoever signs for it', async () => {
    await forger.greet();
    for (const tool of ['write', 'bash', 'summarize', '__proto__']) {
      const done = await forger.asks(forger.request({ tool, args: { path: 'x', text: 'x' } }));
      expect(done).toMatchObject({ t: 'result' });
      if (done.t === 'result') expect(done.report).toContain('"error_code":"not_allowed"');
    }
    for (const path of ['../secret', '/etc/passwd', 'a/../../b']) {
      const done = await forger.asks(forger.request({ tool: 'read', args: { path } }));
      if (done.t !== 'result') throw new Error(JSON.stringify(done));
      expect(done.report).toContain('"error_code":"bad_args"');
    }
  });
});

it('[TUN2] the key of a machine is made once, and is its user’s alone', async () => {
  const { publicKey } = await forger.greet();
  const file = join(dir.path, 'home', 'tunnel-key.pem');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await machine.kill();
  machine = new Machine({
    url: await forger.url(),
    token: forger.token,
    dir: served,
    home: join(dir.path, 'home'),
  });
  expect((await forger.greet()).publicKey).toBe(publicKey);
  expect(machine.output).not.toContain(forger.token);
});

it('[TUN11] a token goes to no host in the clear', async () => {
  const other = new Machine({
    url: 'http://filepath.example:4280',
    token: forger.token,
    dir: served,
    home: join(dir.path, 'home'),
  });
  expect(await other.exited).toBe(2);
  expect(other.output).toContain('neither https:// nor on this machine');
});
