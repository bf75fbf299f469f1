import { FilepathError } from '@filepath/protocol';
import { requester, type Send } from './request.ts';
import { openPlatformSocket, type OpenSocket } from './socket.ts';

export type ClientOptions = {
  /** Where filepath answers. In a browser it is where the page came from. */
  baseUrl?: string;
  /** A bearer token; without it the browser's cookie counts. */
  token?: string;
  fetch?: typeof fetch;
  openSocket?: OpenSocket;
};

type Connection = {
  readonly base: string;
  readonly headers: Record<string, string>;
  readonly send: Send;
  readonly openSocket: OpenSocket;
  readonly socketUrl: (path: string) => string;
};

/** How an instance is asked. */
export function connectionOf(options: ClientOptions): Connection {
  const base = baseOf(options.baseUrl);
  const headers: Record<string, string> = options.token
    ? { authorization: `Bearer ${options.token}` }
    : {};
  const send = requester({
    resolve: (path) => new URL(path, base).href,
    headers,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  });
  const socketUrl = (path: string): string => {
    const url = new URL(path, base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return url.href;
  };
  return { base, headers, send, openSocket: options.openSocket ?? openPlatformSocket, socketUrl };
}

function baseOf(given: string | undefined): string {
  if (given !== undefined) return given;
  const page = (globalThis as { location?: { href: string } }).location;
  if (page) return page.href;
  throw new FilepathError('bad_request', 'createClient needs a baseUrl outside a browser.');
}

/** An unread body would hold its connection. */
export async function done(response: Response): Promise<void> {
  await response.body?.cancel();
}
