import { call } from './api.ts';

export type Frame = { t: string } & Record<string, unknown>;

/** A WebSocket client whose frames are awaited one by one. */
export class TestSocket {
  readonly #socket: WebSocket;
  readonly #frames: string[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Resolves with code and reason when the other side closes. */
  readonly closed: Promise<{ code: number; reason: string }>;
  bytes = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.accept();
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') return;
      this.bytes += data.length;
      this.#frames.push(data);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        resolve({ code, reason });
        this.#wake();
      });
    });
  }

  static async open(path: string, headers: Record<string, string>): Promise<TestSocket> {
    const response = await call(path, { headers: { upgrade: 'websocket', ...headers } });
    if (!response.webSocket) throw new Error(`${path}: ${response.status}`);
    return new TestSocket(response.webSocket);
  }

  get waiting(): number {
    return this.#frames.length;
  }

  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return JSON.parse(frame) as Frame;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** The next frame of this kind; those before it are passed over. */
  async until(t: string): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (frame.t === t) return frame;
    }
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  close(): void {
    this.#socket.close(1000, 'done');
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
