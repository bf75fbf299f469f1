import { EventEmitter, on } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  AgentToRunner,
  AgentToWorker,
  type Answer,
  type CatalogReport,
  ControlToRunner,
  ControlToWorker,
  type InputLine,
  type JobResult,
  type Order,
  type Question,
  type RunnerBody,
  type SpoolLine,
  type Touched,
} from '@filepath/protocol';
import { type WebSocket, WebSocketServer } from 'ws';

export const TOKEN = 'runner-token';

/** How long something is waited for that comes at once on a machine with nothing else to do. */
export const PATIENCE_MS = 60_000;

/** What a thread has stored: the worker's side of one epoch. */
export class ThreadRecord {
  epoch = 1;
  offset = 0;
  lines: SpoolLine[] = [];
  frames: { from: number; lines: number; bytes: number }[] = [];
  observed: RunnerBody[] = [];
  inputs: InputLine[] = [];
  written: number[] = [];
  hellos = 0;
  /** Faults: what to do with the next frames. */
  holdAcks = false;
  dropBeforeAck = 0;
  fenced = false;
  socket: WebSocket | null = null;

  get texts(): string[] {
    return this.lines.map((line) => line[1]);
  }
  get exit(): Extract<RunnerBody, { type: 'exit' }> | undefined {
    return this.observed.find((body) => body.type === 'exit');
  }
  get refused(): string | undefined {
    return this.observed.find((body) => body.type === 'refused')?.reason;
  }
}

/** Speaks the link protocol as the worker does, and records. Breaking the protocol fails the test that waits. */
export class FakeWorker {
  readonly threads = new Map<string, ThreadRecord>();
  readonly orders: { number: number; order: Order; taken: number }[] = [];
  readonly faults: string[] = [];
  readonly requests: { url: string; headers: IncomingHttpHeaders }[] = [];
  /** Results of jobs as they came, and whether they are stored. */
  readonly done: JobResult[] = [];
  storing = true;
  /** What agents changed, as it was told last, and answers to questions. */
  readonly touched = new Map<string, Touched>();
  readonly answers = new Map<number, Answer>();
  /** What was uploaded and is to be had, by its id. The next uploads are answered so. */
  readonly snapshots = new Map<string, Buffer>();
  readonly uploads: number[] = [];
  readonly #changes = new EventEmitter();
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #epochs = new Map<WebSocket, number>();
  #control: WebSocket | null = null;
  #asked = 0;
  executors: unknown;
  catalog: CatalogReport | undefined;
  /** A runner has said hello. */
  connected = false;

  private constructor() {
    // Requests for the gateway, which it does not have.
    this.#server = createServer((request, response) => {
      if (request.url?.startsWith('/gateway') === true) {
        this.requests.push({ url: request.url, headers: request.headers });
        return response.writeHead(404).end('no gateway');
      }
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(401).end();
      const name = (request.url ?? '').split('/').at(-1) ?? '';
      if (request.method === 'GET') {
        const found = this.snapshots.get(name);
        return response.writeHead(found === undefined ? 404 : 200).end(found);
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const status = this.uploads.shift() ?? 200;
        if (status === 200) this.snapshots.set(name, Buffer.concat(chunks));
        response.writeHead(status).end('{"error":{"code":"too_large","message":"no room for it"}}');
      });
    });
    this.#server.on('upgrade', (request, socket, head) => {
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return socket.destroy();
      const [, link, kind, id] = (request.url ?? '').split('/');
      this.#sockets.handleUpgrade(request, socket, head, (ws) => {
        if (link !== 'link' || id === undefined) return ws.close(4404);
        if (kind === 'runner') this.#onControl(ws);
        else this.#onThread(ws, this.thread(id));
      });
    });
  }

  static async start(port = 0): Promise<FakeWorker> {
    const worker = new FakeWorker();
    await new Promise<void>((resolve) => worker.#server.listen(port, '127.0.0.1', resolve));
    return worker;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  thread(id: string): ThreadRecord {
    const known = this.threads.get(id) ?? new ThreadRecord();
    this.threads.set(id, known);
    return known;
  }

  order(order: Order): number {
    const number = this.orders.length + 1;
    if (order.kind === 'start') this.thread(order.thread).inputs.push(...order.inputs);
    this.orders.push({ number, order, taken: 0 });
    this.sendOrder(number);
    return number;
  }

  /** To a runner that has said hello: before that it would get the order twice. */
  sendOrder(number: number): void {
    const found = this.orders[number - 1];
    if (found === undefined || this.#control === null || !this.connected) return;
    const frame = ControlToRunner.parse({ t: 'order', order: number, do: found.order });
    this.#control.send(JSON.stringify(frame));
  }

  /** Asks, and waits for the answer. */
  async ask(question: Question): Promise<Answer> {
    const ask = ++this.#asked;
    const frame = ControlToRunner.parse({ t: 'ask', ask, question });
    this.#control?.send(JSON.stringify(frame));
    await this.until(`the answer to ${ask}`, () => this.answers.has(ask));
    const answer = this.answers.get(ask);
    if (answer === undefined) throw new Error('no answer');
    return answer;
  }

  input(id: string, line: string): void {
    const thread = this.thread(id);
    const input = { id: thread.inputs.length + 1, line };
    thread.inputs.push(input);
    if (thread.socket !== null) send(thread.socket, { t: 'input', input });
  }

  dropControl(): void {
    this.#control?.terminate();
  }

  /** Resolves when the condition holds; rejects with what the runner did wrong, or at the deadline. */
  async until(what: string, condition: () => boolean, ms = PATIENCE_MS): Promise<void> {
    const deadline = AbortSignal.timeout(ms);
    try {
      if (condition()) return;
      for await (const _ of on(this.#changes, 'change', { signal: deadline })) {
        if (this.faults.length > 0) throw new Error(this.faults.join('; '));
        if (condition()) return;
      }
    } catch (error) {
      if (!deadline.aborted) throw error;
      const state = [...this.threads.values()].map((thread) => ({
        lines: thread.lines.length,
        observed: thread.observed,
        written: thread.written.length,
        hellos: thread.hellos,
      }));
      throw new Error(`not within ${ms} ms: ${what}; ${JSON.stringify(state).slice(0, 4000)}`);
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #changed(): void {
    this.#changes.emit('change');
  }

  #onControl(ws: WebSocket): void {
    this.#control = ws;
    this.connected = false;
    ws.on('close', () => {
      if (this.#control !== ws) return;
      this.connected = false;
      this.#changed();
    });
    ws.on('message', (data: Buffer) => {
      const frame = ControlToWorker.parse(JSON.parse(data.toString()));
      if (frame.t === 'hello') {
        this.executors = frame.executors;
        this.catalog = frame.catalog;
        this.connected = true;
        ws.send(JSON.stringify(ControlToRunner.parse({ t: 'welcome', v: 1 })));
        for (const { number, taken } of this.orders) if (taken === 0) this.sendOrder(number);
      } else if (frame.t === 'done') {
        this.done.push(frame.result);
        if (this.storing) {
          ws.send(JSON.stringify(ControlToRunner.parse({ t: 'stored', job: frame.result.job })));
        }
      } else if (frame.t === 'catalog') {
        this.catalog = frame.catalog;
      } else if (frame.t === 'touched') {
        this.touched.set(frame.thread, frame.touched);
      } else if (frame.t === 'here') {
        ws.send(JSON.stringify(ControlToRunner.parse({ t: 'here' })));
      } else if (frame.t === 'answer') {
        this.answers.set(frame.ask, frame.answer);
      } else {
        const found = this.orders[frame.order - 1];
        if (found !== undefined) found.taken++;
      }
      this.#changed();
    });
  }

  #onThread(ws: WebSocket, thread: ThreadRecord): void {
    ws.on('close', () => {
      if (thread.socket === ws) thread.socket = null;
      this.#changed();
    });
    ws.on('message', (data: Buffer) => {
      try {
        const text = data.toString();
        const frame = AgentToWorker.parse(JSON.parse(text));
        // A later connection takes the place of an earlier one, as far as its epoch is the thread's.
        if (frame.t === 'hello' && frame.epoch === thread.epoch) thread.socket = ws;
        else if (frame.t !== 'hello' && thread.socket !== ws) return;
        this.#onFrame(ws, thread, frame, text.length);
      } catch (error) {
        this.faults.push(String(error));
      }
      this.#changed();
    });
  }

  #onFrame(ws: WebSocket, thread: ThreadRecord, frame: AgentToWorker, bytes: number): void {
    const ack = (): void => {
      if (thread.holdAcks) return;
      if (thread.dropBeforeAck > 0) {
        thread.dropBeforeAck--;
        thread.socket = null;
        ws.terminate();
        return;
      }
      send(ws, { t: 'ack', offset: thread.offset, observed: thread.observed.length });
    };
    if (frame.t === 'hello') {
      thread.hellos++;
      this.#epochs.set(ws, frame.epoch);
    }
    if (thread.fenced || this.#epochs.get(ws) !== thread.epoch) {
      return send(ws, { t: 'over', reason: 'fenced' });
    }
    switch (frame.t) {
      case 'hello':
        if (this.#ended(thread)) return send(ws, { t: 'over', reason: 'ended' });
        send(ws, { t: 'welcome', offset: thread.offset, observed: thread.observed.length });
        for (const input of thread.inputs) {
          if (input.id > frame.inputs) send(ws, { t: 'input', input });
        }
        return;
      case 'lines': {
        if (frame.from !== thread.offset) {
          throw new Error(`lines from ${frame.from}, expected ${thread.offset}`);
        }
        if (thread.exit !== undefined) throw new Error('lines after the exit');
        if (thread.observed[0] === undefined) throw new Error('lines before any observation');
        thread.frames.push({ from: frame.from, lines: frame.lines.length, bytes });
        for (const line of frame.lines) {
          if (line[0] <= thread.offset) throw new Error('offsets do not rise');
          thread.lines.push(line);
          thread.offset = line[0];
        }
        return ack();
      }
      case 'observed':
        if (frame.id !== thread.observed.length + 1) {
          throw new Error(`observation ${frame.id} after ${thread.observed.length}`);
        }
        thread.observed.push(frame.body);
        ack();
        if (this.#ended(thread)) send(ws, { t: 'over', reason: 'ended' });
        return;
      case 'written':
        thread.written.push(frame.input);
        return;
      case 'here':
        send(ws, { t: 'here' });
    }
  }

  #ended(thread: ThreadRecord): boolean {
    return thread.exit !== undefined || thread.refused !== undefined;
  }
}

function send(ws: WebSocket, frame: AgentToRunner): void {
  if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(AgentToRunner.parse(frame)));
}
