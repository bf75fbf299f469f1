import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Answer } from './answers.ts';

const AGAIN_MS = 250;
/** An address that takes no packets would be waited for by the system for minutes. */
const CONNECT_MS = 10_000;

/**
 * A connection to the worker, as soon as it takes one: nothing of a request is sent before. Null: whoever asked has gone
 * away.
 */
export async function dialWorker(
  url: string,
  awayMs: number,
  asked: ServerResponse,
): Promise<Socket | null> {
  const base = new URL(url);
  const until = Date.now() + awayMs;
  for (;;) {
    try {
      const socket = await dial(base);
      if (!asked.destroyed) return socket;
      socket.destroy();
      return null;
    } catch (error) {
      if (asked.destroyed) return null;
      if (Date.now() >= until) throw away(error);
      await wait(AGAIN_MS);
    }
  }
}

async function dial(base: URL): Promise<Socket> {
  const host = base.hostname.replace(/^\[|\]$/g, '');
  const secure = base.protocol === 'https:';
  const port = Number(base.port || (secure ? 443 : 80));
  const socket = secure
    ? connectTls({
        host,
        port,
        servername: isIP(host) === 0 ? host : '',
        ALPNProtocols: ['http/1.1'],
      })
    : connect({ host, port });
  try {
    const signal = AbortSignal.timeout(CONNECT_MS);
    await once(socket, secure ? 'secureConnect' : 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const away = (error: unknown): Answer =>
  new Answer(
    503,
    `filepath cannot be reached: ${error instanceof Error ? error.message : 'no connection'}. Ask again`,
    true,
  );
