import { randomBytes } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { TunnelTool } from '@filepath/protocol';
import {
  helloClaim,
  parseTunnelToken,
  TUNNEL_CLOSED,
  TUNNEL_VERSION,
  TunnelRequests,
  TunnelToLocal,
  type TunnelToWorker,
} from '@filepath/protocol/sky';
import { linkUrl, Socket } from '../link/socket.ts';
import { type Log, reasonOf } from '../log.ts';
import { LocalKey } from './local-key.ts';
import { runRequest } from './run-request.ts';
import { ScopedFiles } from './scoped-files.ts';

export type TunnelOptions = {
  /** Where the worker answers. */
  readonly url: string;
  readonly token: string;
  readonly dir: string;
  readonly tools: readonly TunnelTool[];
  /** Where the key of this machine is kept. */
  readonly keyFile: string;
  readonly log: Log;
  readonly reconnectMs?: number;
};

export type Tunnel = {
  readonly publicKey: string;
  /** Resolves with the reason when the other side ended it for good. */
  readonly ended: Promise<string>;
  close(): void;
};

const ENDED: Readonly<Record<number, string>> = {
  [TUNNEL_CLOSED.revoked]: 'the tunnel was revoked or its token was rotated',
  [TUNNEL_CLOSED.otherKey]: 'the token belongs to another machine: rotate it to use it here',
  [TUNNEL_CLOSED.replaced]: 'the same token was used again, and that connection took its place',
};

/** Serves one directory to one chat. It dials; nothing listens here. */
export function openTunnel(options: TunnelOptions): Tunnel {
  const { url, token, dir, tools, keyFile, log, reconnectMs = 500 } = options;
  const parts = parseTunnelToken(token);
  if (parts === null) throw new Error('this is no token of a tunnel');
  const { thread, tunnel, signer } = parts;
  const key = LocalKey.at(keyFile);
  const files = new ScopedFiles(dir);
  const folder = basename(resolve(dir)).slice(0, 255);
  const requests = new TunnelRequests({ signer, thread, tunnel, now: Date.now });
  const end = Promise.withResolvers<string>();
  let closed = false;
  /** One at a time. */
  let line = Promise.resolve();

  const close = (): void => {
    if (closed) return;
    closed = true;
    socket.close();
    void line.then(() => files.close());
  };
  const send = (frame: TunnelToWorker): void => socket.send(JSON.stringify(frame));

  const call = async (text: string, signature: string): Promise<void> => {
    const taken = await requests.take(text, signature);
    if (!taken.ok) {
      const { fault, nonce } = taken;
      log({ level: 'warn', event: 'tunnel', message: `a request was refused: ${fault}` });
      send({ t: 'refused', nonce, fault });
      return;
    }
    if (closed) return;
    const result = await runRequest({ files, tools, key, now: Date.now }, taken.request);
    log({ level: 'info', event: 'tunnel', message: saidOf(taken.request, result.report) });
    send(result);
  };

  const socket: Socket = new Socket({
    url: linkUrl(url, '/link/tunnel'),
    token,
    reconnectMs,
    log,
    onOpen: () => undefined,
    onMessage: (text) => {
      let frame: TunnelToLocal;
      try {
        frame = TunnelToLocal.parse(JSON.parse(text));
      } catch (error) {
        log({ level: 'error', event: 'frame-rejected', message: reasonOf(error).slice(0, 300) });
        return;
      }
      if (frame.t === 'challenge') {
        const session = randomBytes(24).toString('base64url');
        requests.open(session);
        const hello = { publicKey: key.publicKey, session, tools: [...tools], folder };
        const signature = key.sign(helloClaim(tunnel, frame.challenge, hello));
        send({ t: 'hello', v: TUNNEL_VERSION, ...hello, signature });
      } else if (frame.t === 'welcome') {
        socket.confirmed();
        log({ level: 'info', event: 'link-up', message: `connected to ${url}` });
      } else if (frame.t === 'call') {
        const { request, signature } = frame;
        line = line
          .then(() => call(request, signature))
          .catch((error: unknown) =>
            log({ level: 'error', event: 'tunnel', message: reasonOf(error).slice(0, 300) }),
          );
      }
    },
    onDown: (code, reason) => {
      const why =
        ENDED[code] ?? (/\b401\b/.test(reason) ? ENDED[TUNNEL_CLOSED.revoked] : undefined);
      if (why === undefined) return;
      end.resolve(why);
      close();
    },
  });
  socket.dial();
  return { publicKey: key.publicKey, ended: end.promise, close };
}

function saidOf({ tool, args }: { tool: string; args?: unknown }, report: string): string {
  const path = typeof args === 'object' && args !== null ? Reflect.get(args, 'path') : undefined;
  const { status, error_code } = JSON.parse(report) as { status: string; error_code?: string };
  const name = typeof path === 'string' ? ` ${JSON.stringify(path.slice(0, 200))}` : '';
  return `${tool.slice(0, 64)}${name}: ${status === 'completed' ? 'done' : (error_code ?? status)}`;
}
