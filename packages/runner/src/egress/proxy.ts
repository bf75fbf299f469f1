import {
  createServer,
  type IncomingMessage,
  request as overHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { Answer, answerOf, endWithAnswer, sendAnswer } from './answers.ts';
import type { Reach } from './reach.ts';
import { onward, relay, UPSTREAM } from './relay.ts';
import { parseAbsolute, parseAuthority, showTarget } from './target.ts';
import { dialWorker } from './dial-worker.ts';
import { type Asking, gatewayPath, toWorker, type WorkerPlace } from './to-worker.ts';
import { tunnel } from './tunnel.ts';
import { isWayOut } from './way-out.ts';

export type ProxyLimits = {
  connections: number;
  idleMs: number;
  /** For so long a request waits for a worker that is away: it is back within seconds of a restart. */
  awayMs: number;
};

/** The wait is that of a model that thinks without saying anything. */
export const PROXY_LIMITS: ProxyLimits = {
  connections: 64,
  idleMs: 10 * 60_000,
  awayMs: 60_000,
};

const HEADER_BYTES = 16_384;
const REFUSED_MS = 1_000;

export type ProxyContext = {
  reach: Reach;
  worker: WorkerPlace;
  asking: Asking;
  limits: ProxyLimits;
};

/**
 * An agent's way out: a forward proxy, CONNECT, and the gateway. Whoever can connect is the agent, so there is one of these
 * for each.
 */
export class AgentProxy {
  readonly #context: ProxyContext;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #refused = new Set<Socket>();
  readonly #bytes = { up: 0, down: 0 };
  #closed = false;

  constructor(context: ProxyContext) {
    this.#context = context;
    this.#http = createServer(
      { maxHeaderSize: HEADER_BYTES, insecureHTTPParser: false, keepAliveTimeout: 5_000 },
      (request, response) => void this.#serve(request, response),
    );
    this.#http.timeout = context.limits.idleMs;
    this.#http.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const target = parseAuthority(request.url ?? '', null);
      if (target && isWayOut(target)) return this.#toItself(socket, head);
      void tunnel(context.reach, request.url ?? '', socket, head, context.limits.idleMs);
    });
  }

  /** Takes a connection from a listener. */
  accept(socket: Socket): void {
    socket.on('error', () => undefined);
    const { connections } = this.#context.limits;
    if (this.#closed) return void socket.destroy();
    if (this.#sockets.size >= connections) return this.#refuse(socket);
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#bytes.up += socket.bytesRead;
      this.#bytes.down += socket.bytesWritten;
    });
    this.#http.emit('connection', socket);
  }

  /** Bytes of the connections that have ended, as the agent sent and got them. */
  get bytes(): { readonly up: number; readonly down: number } {
    return this.#bytes;
  }

  close(): void {
    this.#closed = true;
    for (const socket of [...this.#sockets, ...this.#refused]) socket.destroy();
  }

  /** The tunnel ends where it begins. */
  #toItself(socket: Socket, head: Buffer): void {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) socket.unshift(head);
    this.#http.emit('connection', socket);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = ownPath(request.url ?? '');
    try {
      if (!url.startsWith('/')) return await this.#forward(url, request, response);
      const path = gatewayPath(url);
      if (path === null) return notHere(response);
      const { worker, asking, limits } = this.#context;
      const socket = await dialWorker(worker.url, limits.awayMs, response);
      if (socket !== null) toWorker(worker, asking, path, request, response, socket);
    } catch (error) {
      sendAnswer(response, answerOf(error));
    }
  }

  async #forward(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseAbsolute(url);
    if (target === null) throw new Answer(400, 'the URL is none that this proxy takes');
    const { reach, limits } = this.#context;
    const socket = await reach.open(target);
    if (response.destroyed) return void socket.destroy();
    socket.setTimeout(limits.idleMs, () => socket.destroy());
    const headers = onward(request, showTarget(target, 80));
    const { method = 'GET' } = request;
    try {
      const options = { ...UPSTREAM, method, path: target.path, headers };
      relay(request, response, overHttp({ ...options, createConnection: () => socket }));
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /** Says so, for a moment: what is refused must not add up. */
  #refuse(socket: Socket): void {
    if (this.#refused.size >= this.#context.limits.connections) return void socket.destroy();
    this.#refused.add(socket);
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#refused.delete(socket);
    });
    socket.resume();
    const { connections } = this.#context.limits;
    const sentence = `this agent has ${connections} connections open, the most it may have: close one first`;
    endWithAnswer(socket, new Answer(503, sentence));
  }
}

/** The path alone, if the URL is one of the way out itself. */
function ownPath(url: string): string {
  const target = parseAbsolute(url);
  return target && isWayOut(target) ? target.path : url;
}

function notHere(response: ServerResponse): void {
  const message = 'here are only /gateway/ and a proxy: ask for whole URLs, or set HTTP_PROXY';
  const body = JSON.stringify({ error: { code: 'not_found', message } });
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(body);
}
