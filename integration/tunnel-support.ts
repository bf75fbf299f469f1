import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LiteclawTunnel, TunnelCreated, type TunnelTool } from '@filepath/protocol';
import {
  hashJson,
  helloClaim,
  parseTunnelToken,
  reportClaim,
  TunnelRequest,
  TunnelToLocal,
  type TunnelToWorker,
} from '@filepath/protocol/sky';
import type { Api } from '@filepath/testkit';
import { WebSocket } from 'ws';

const CLI = join(fileURLToPath(new URL('..', import.meta.url)), 'packages/cli/dist/filepath.js');

export const newTunnel = (api: Api, name = 'laptop'): Promise<TunnelCreated> =>
  api.json(TunnelCreated, 'POST', '/api/liteclaw/tunnels', { name });

export const isConnected = ({ connected }: LiteclawTunnel): boolean => connected;

type Served = { url: string; token: string; dir: string; home: string; tools?: string };

/** The real command on a directory. */
export class Machine {
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  output = '';
  #heard: (() => void)[] = [];

  constructor({ url, token, dir, home, tools = 'read,edit' }: Served) {
    const args = [CLI, 'runner', '--tunnel', '--dir', dir, '--tools', tools, '--url', url];
    this.#child = spawn(process.execPath, args, {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        FILEPATH_HOME: home,
        FILEPATH_TUNNEL_TOKEN: token,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // When it is closed, all that it said has been heard.
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        for (const heard of this.#heard.splice(0)) heard();
      });
    }
  }

  /** Waits until it has said this, so often. */
  async says(words: string, times = 1): Promise<void> {
    while (this.output.split(words).length <= times) {
      const more = new Promise<void>((resolve) => this.#heard.push(resolve));
      const ended = this.exited.then((code) => {
        throw new Error(`it ended with ${code} and never said ${words}:\n${this.output}`);
      });
      await Promise.race([more, ended]);
    }
  }

  async stop(): Promise<number | null> {
    this.#child.kill('SIGINT');
    return this.exited;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}

type Frame<T extends TunnelToLocal['t']> = Extract<TunnelToLocal, { t: T }>;

export function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    publicKey: raw.toString('base64'),
    sign: (claim: string) => sign(null, Buffer.from(claim), privateKey).toString('base64'),
  };
}
export type Key = ReturnType<typeof newKey>;

/** Speaks the words of a machine, and does with a request what a test wants. */
export class HandMade {
  readonly #socket: WebSocket;
  readonly #token: string;
  readonly closed: Promise<{ code: number }>;
  readonly #frames: TunnelToLocal[] = [];
  #waiting: (() => void)[] = [];

  constructor(url: string, token: string) {
    this.#token = token;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/link/tunnel`, {
      headers: { authorization: `Bearer ${token}` },
    });
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      this.#frames.push(TunnelToLocal.parse(JSON.parse(data.toString())));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close').then(([code]) => ({ code: code as number }));
  }

  /** The next frame of a kind; others before it are dropped. */
  async next<T extends TunnelToLocal['t']>(kind: T): Promise<Frame<T>> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame?.t === kind) return frame as Frame<T>;
      if (frame) continue;
      const more = new Promise<void>((resolve) => this.#waiting.push(resolve));
      const ended = this.closed.then(({ code }) => {
        if (this.#frames.length === 0) throw new Error(`closed with ${code} before ${kind}`);
      });
      await Promise.race([more, ended]);
    }
  }

  send(frame: TunnelToWorker): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** Says hello; `signs`: whose key signs it. */
  async hello(key: Key, tools: TunnelTool[] = ['read'], signs: Key = key): Promise<void> {
    const { challenge } = await this.next('challenge');
    const tunnel = parseTunnelToken(this.#token)?.tunnel;
    if (tunnel === undefined) throw new Error('no token');
    const said = { publicKey: key.publicKey, session: 's'.repeat(32), tools, folder: 'hand' };
    const signature = signs.sign(helloClaim(tunnel, challenge, said));
    this.send({ t: 'hello', v: 1, ...said, signature });
  }

  async asked(): Promise<TunnelRequest> {
    return TunnelRequest.parse(JSON.parse((await this.next('call')).request));
  }

  /** Answers, truly unless something of it is changed. */
  async answer(
    { thread, tunnel, nonce, tool, args }: TunnelRequest,
    key: Key,
    output: Record<string, unknown>,
    changed: Record<string, unknown> = {},
    sent: Record<string, unknown> = output,
  ): Promise<void> {
    const report = JSON.stringify({
      v: 1,
      thread,
      tunnel,
      nonce,
      tool,
      args_hash: await hashJson(args),
      output_hash: await hashJson(output),
      status: 'completed',
      started_at: new Date().toISOString(),
      duration_ms: 1,
      ...changed,
    });
    this.send({ t: 'result', report, signature: key.sign(reportClaim(report)), output: sent });
  }

  close(): void {
    this.#socket.close();
  }
}
