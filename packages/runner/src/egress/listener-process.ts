import { type ChildProcess, spawn } from 'node:child_process';
import { Server } from 'node:net';
import { z } from 'zod';
import { coveredStdio } from '../executor/inherited.ts';
import { signal as kill } from '../proc.ts';
import { WAY_OUT } from './way-out.ts';

const TIMEOUT_MS = 10_000;
const SAID_BYTES = 2048;

/**
 * Listens where it is, hands the listener over, and ends when it is told or its parent is gone. Node does not always tell of
 * the latter while a handle is on its way, so it looks for itself, and never stays longer than it may take.
 */
const PROGRAM = `
const server = require('node:net').createServer();
server.on('error', (error) => process.send({ error: error.code }));
server.listen({ host: '${WAY_OUT.host}', port: ${WAY_OUT.port} }, () => process.send({ pid: process.pid }, server));
process.on('disconnect', () => process.exit());
setInterval(() => process.connected || process.exit(), 100);
setTimeout(() => process.exit(), ${TIMEOUT_MS});
`;

const Message = z.union([
  z.strictObject({ pid: z.int().min(2) }),
  z.strictObject({ error: z.string() }),
]);

export type HandedOver = {
  /** Listens in the namespace that the process was in. */
  server: Server;
  /** The process, which stays until `release`. */
  pid: number;
  readonly release: () => void;
};

/** A listener made by a process that `prefix` puts into another network namespace. Nothing of it stays there. */
export function listenBehind(prefix: readonly string[], signal?: AbortSignal): Promise<HandedOver> {
  const [file, ...args] = [
    ...prefix,
    process.execPath,
    '-e',
    PROGRAM,
    'filepath-listener',
    String(process.pid),
  ];
  const stdio: (number | 'ignore' | 'pipe' | 'ipc')[] = coveredStdio();
  stdio[2] = 'pipe';
  stdio[3] = 'ipc';
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const child = spawn(file, args, {
    cwd: '/',
    env,
    stdio,
    // A group of its own, which is ended whole: bubblewrap without its child would leave that waiting for ever.
    detached: true,
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-SAID_BYTES);
    });
    const end = (): void => {
      if (child.pid !== undefined) kill(-child.pid, 'SIGKILL');
    };
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted === true) end();
    const fail = (reason: string): void => {
      release(child);
      reject(new Error(`nothing listens on ${WAY_OUT.host}:${WAY_OUT.port}: ${reason}`));
    };
    const timer = setTimeout(() => {
      end();
      fail('it took longer than 10 seconds');
    }, TIMEOUT_MS);
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      fail(said.trim() || `the process ended with ${code}`);
    });
    child.once('message', (value, handle) => {
      clearTimeout(timer);
      const message = Message.safeParse(value).data;
      if (message === undefined) return fail('its maker said something else');
      if ('error' in message) return fail(message.error);
      if (!(handle instanceof Server)) return fail('no listener came over');
      resolve({ server: handle, pid: message.pid, release: () => release(child) });
    });
  });
}

function release(child: ChildProcess): void {
  if (child.connected) child.disconnect();
}
