import {
  type ClientRequest,
  type IncomingMessage,
  request as overHttp,
  type ServerResponse,
} from 'node:http';
import { request as overHttps } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { HANDED_HEADER } from '@filepath/protocol';
import { Answer } from './answers.ts';
import type { Headers } from './headers.ts';
import { type Manner, onward, relay, UPSTREAM } from './relay.ts';

const PREFIX = '/gateway/';

const HANDED_MS = 10_000;

/** Where the worker answers, and what says that this runner asks. */
export type WorkerPlace = { url: string; token: string };

/** Of the client's own words, what could be taken for ours or for a browser's. */
const OURS = /^(?:x-filepath-|x-forwarded-|cf-|forwarded$|cookie$)/;

/** Spellings of dots and slashes that another parser may read as a way up. */
const WINDING = /%2e|%2f|%5c|\\/i;

/** The path on the worker, or null for what is none of the gateway's. */
export function gatewayPath(url: string): string | null {
  if (!url.startsWith(PREFIX) || WINDING.test(url.split('?')[0] ?? '')) return null;
  try {
    const { pathname, search } = new URL(`http://gateway${url}`);
    return `${pathname}${search}` === url ? url : null;
  } catch {
    return null;
  }
}

/** Which agent asks, as the runner was told. */
export type Asking = { session: string; thread: string };

/** Carries a request to the gateway, as this agent on this runner. The agent's key stays in it. */
export function toWorker(
  worker: WorkerPlace,
  { session, thread }: Asking,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  socket: Socket,
): void {
  const base = new URL(worker.url);
  const headers = onward(request, base.host);
  for (const name of Object.keys(headers)) if (OURS.test(name)) delete headers[name];
  headers['x-filepath-runner-token'] = worker.token;
  headers['x-filepath-session'] = session;
  headers['x-filepath-thread'] = thread;
  const { method = 'GET' } = request;
  const send = base.protocol === 'https:' ? overHttps : overHttp;
  const options = { ...UPSTREAM, method, path, headers, createConnection: () => socket };
  relay(request, response, send(options), {
    ...MANNER,
    passed: ({ headers: said }) => {
      const handed = said[HANDED_HEADER];
      if (typeof handed === 'string') tellHanded(base, handed, headers);
    },
  });
}

/** What the agent does not have it is told later: where this is lost, it is told twice. */
function tellHanded(base: URL, handed: string, asked: Headers): void {
  const names = [
    'authorization',
    'x-api-key',
    ...Object.keys(asked).filter((name) => OURS.test(name)),
  ];
  const headers = names.flatMap((name): [string, string][] => {
    const value = asked[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const url = new URL(`${PREFIX}agent/handed/${encodeURIComponent(handed)}`, base);
  const signal = AbortSignal.timeout(HANDED_MS);
  void fetch(url, { method: 'POST', headers, redirect: 'manual', signal })
    .then((answer) => answer.body?.cancel())
    .catch(() => undefined);
}

const MANNER: Manner = {
  leave: reset,
  broken: ({ message }) => new Answer(502, `filepath gave no answer: ${message}`, true),
};

/** workerd takes the end of a connection for half of it while its answer has nothing to say, and goes on; not a reset. */
function reset(upstream: ClientRequest): void {
  const { socket } = upstream;
  if (socket !== null && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
  upstream.destroy();
}
