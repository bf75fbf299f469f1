import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LogEvent } from '@filepath/protocol';
import { newThreadId, ViewerFrame } from '@filepath/protocol';
import { type WebSocket, WebSocketServer } from 'ws';

export const THREAD = newThreadId();

export function event(seq: number): LogEvent {
  return {
    seq,
    thread: THREAD,
    run: null,
    step: null,
    event: seq,
    at: '2026-01-01T00:00:00.000Z',
    source: 'fap',
    body: { type: 'text', content: `line ${seq}` },
    hash: 'a'.repeat(64),
  };
}

export type Viewer = {
  socket: WebSocket;
  after: number;
  acks: number[];
  /** Draft frames that the viewer said it has taken in. */
  drafts: number;
  /** How often it wanted to hear that it is seen. */
  asked: number;
  headers: IncomingMessage['headers'];
};

/** A thread's feed on a real port, which can be killed and come back there. */
export class FeedServer {
  readonly log: LogEvent[] = [];
  readonly viewers: Viewer[] = [];
  /** How a viewer is fed when it joins. */
  onJoin: (viewer: Viewer) => void = (viewer) => this.feed(viewer);
  /** Set to answer plain HTTP, and refuse upgrades, with this status. */
  refuse: { status: number; body: unknown } | null = null;
  #http: Server | null = null;
  #port = 0;
  #waiting: (() => boolean)[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const http = createServer((_request, response) => this.#answer(response));
    const sockets = new WebSocketServer({ noServer: true });
    http.on('upgrade', (request, socket, head) => {
      if (this.refuse) return socket.end(`HTTP/1.1 ${this.refuse.status} No\r\n\r\n`);
      sockets.handleUpgrade(request, socket, head, (ws) => this.#join(ws, request));
    });
    http.listen(this.#port, '127.0.0.1');
    await once(http, 'listening');
    this.#port = (http.address() as AddressInfo).port;
    this.#http = http;
  }

  async kill(): Promise<void> {
    const http = this.#http;
    if (!http) return;
    this.#http = null;
    for (const viewer of this.viewers) viewer.socket.terminate();
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
  }

  append(...seqs: number[]): void {
    this.log.push(...seqs.map(event));
  }

  send(viewer: Viewer, ...seqs: number[]): void {
    viewer.socket.send(JSON.stringify({ t: 'events', events: seqs.map(event) }));
  }

  feed(viewer: Viewer): void {
    const events = this.log.filter((one) => one.seq > viewer.after);
    if (events.length > 0) viewer.socket.send(JSON.stringify({ t: 'events', events }));
  }

  /** Resolves when the condition holds; it is asked again on each join and each frame of a viewer. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(() => condition() && (resolve(), true));
      this.#stir();
    });
  }

  async joined(count: number): Promise<Viewer> {
    await this.until(() => this.viewers.length >= count);
    const viewer = this.viewers[count - 1];
    if (!viewer) throw new Error(`no viewer ${count}`);
    return viewer;
  }

  #join(socket: WebSocket, request: IncomingMessage): void {
    const after = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('after'));
    const viewer: Viewer = {
      socket,
      after,
      acks: [],
      drafts: 0,
      asked: 0,
      headers: request.headers,
    };
    socket.on('error', () => socket.terminate());
    socket.on('message', (data: Buffer) => {
      const ack = ViewerFrame.parse(JSON.parse(data.toString()));
      if (ack.answer) viewer.asked += 1;
      else viewer.acks.push(ack.seq);
      viewer.drafts = ack.drafts ?? viewer.drafts;
      this.#stir();
    });
    this.viewers.push(viewer);
    this.onJoin(viewer);
    this.#stir();
  }

  #answer(response: ServerResponse): void {
    response.statusCode = this.refuse?.status ?? 200;
    response.end(JSON.stringify(this.refuse?.body ?? { events: [], next: null }));
  }

  #stir(): void {
    this.#waiting = this.#waiting.filter((done) => !done());
  }
}
