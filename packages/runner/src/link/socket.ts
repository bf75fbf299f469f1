import { WebSocket } from 'ws';
import { type Log, reasonOf } from '../log.ts';

/** On a silent socket the other side is asked whether it is there, and given up after some questions. */
const ASK_MS = 15_000;
const SILENT_MS = 3 * ASK_MS;
const HERE = JSON.stringify({ t: 'here' });
const LONGEST_WAIT_MS = 10_000;
const FRAME_BYTES = 32 * 1024 * 1024;

export type SocketOptions = {
  /** `ws:` or `wss:`. */
  url: string;
  token: string;
  reconnectMs: number;
  log: Log;
  onOpen(): void;
  onMessage(text: string): void;
  /** With the code of the end and what is known of why. */
  onDown(code: number, reason: string): void;
};

/** A WebSocket that is dialled again, for ever, until it is closed. */
export class Socket {
  readonly #options: SocketOptions;
  #socket: WebSocket | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #closed = false;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  dial(): void {
    if (this.#closed) return;
    const socket = new WebSocket(this.#options.url, {
      headers: { authorization: `Bearer ${this.#options.token}` },
      perMessageDeflate: false,
      maxPayload: FRAME_BYTES,
      handshakeTimeout: 10_000,
    });
    this.#socket = socket;
    let asking: NodeJS.Timeout | undefined;
    let heard = Date.now();
    let fault = 'closed';
    socket.on('open', () => {
      heard = Date.now();
      asking = setInterval(() => {
        const silent = Date.now() - heard;
        if (silent >= SILENT_MS) socket.terminate();
        else if (silent >= ASK_MS / 2) socket.send(HERE);
      }, ASK_MS);
      this.#options.onOpen();
    });
    socket.on('message', (data, binary) => {
      heard = Date.now();
      if (socket !== this.#socket || binary || !Buffer.isBuffer(data)) return;
      this.#options.onMessage(data.toString());
    });
    socket.on('error', (error) => {
      fault = reasonOf(error);
    });
    socket.on('close', (code, said) => {
      if (said.length > 0) fault = said.toString();
      clearInterval(asking);
      if (socket !== this.#socket) return;
      this.#socket = null;
      this.#options.onDown(code, fault);
      this.#again(`${fault} (${code})`);
    });
  }

  /** The other side speaks to us: waits are short again. */
  confirmed(): void {
    this.#failures = 0;
  }

  /** Dropped where the link is down: whoever sends says it again after the next welcome. */
  send(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  /** Ends this connection and dials another. */
  drop(): void {
    this.#socket?.terminate();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (socket?.readyState === WebSocket.OPEN) {
      socket.close(1000);
      setTimeout(() => socket.terminate(), 1000).unref();
    } else socket?.terminate();
  }

  #again(reason: string): void {
    if (this.#closed) return;
    const most = Math.min(LONGEST_WAIT_MS, this.#options.reconnectMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    if (this.#failures === 1) {
      this.#options.log({ level: 'warn', event: 'link-down', message: reason });
    }
    this.#timer = setTimeout(() => this.dial(), most * (0.5 + Math.random() / 2));
  }
}

export function linkUrl(base: string, path: string): string {
  const url = new URL(path, base);
  url.protocol = url.protocol === 'https:' || url.protocol === 'wss:' ? 'wss:' : 'ws:';
  return url.href;
}
