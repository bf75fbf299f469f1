import { FilepathError } from '@filepath/protocol';
import { Backoff } from '../backoff.ts';
import type { FeedState } from '../follow.ts';
import { onOnline } from '../online.ts';
import type { WebSocketLike } from '../socket.ts';

type Handlers = {
  readonly open: () => WebSocketLike;
  /** Asks over HTTP why a socket was refused: a WebSocket does not tell. Rejects with a FilepathError. */
  readonly ask: () => Promise<unknown>;
  readonly onState: (state: FeedState, error?: FilepathError) => void;
  /** Throws on what it cannot read. */
  readonly onText: (text: string) => void;
};

const CONNECT_MS = 15_000;
const BAD_FRAME = 4000;
/** What cannot be read comes again, most likely. */
const BAD_FRAME_MS = 10_000;

/** One connection to a chat over as many sockets as it takes. */
export class ChatLink {
  #socket: WebSocketLike | null = null;
  #state: FeedState | null = null;
  #heard = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #ended = false;
  readonly #handlers: Handlers;
  readonly #backoff: Backoff;
  readonly #unlisten: () => void;

  constructor(handlers: Handlers, backoff = new Backoff()) {
    this.#handlers = handlers;
    this.#backoff = backoff;
    this.#unlisten = onOnline(() => this.again());
  }

  get live(): boolean {
    return this.#state === 'live';
  }

  connect(): void {
    if (this.#ended) return;
    this.#tell('connecting');
    const socket = this.#handlers.open();
    this.#socket = socket;
    this.#heard = false;
    const drop = (): void => this.#dropped(socket);
    socket.addEventListener('open', () => {
      if (this.#socket !== socket) return;
      this.#clear();
      this.#tell('live');
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket) this.#message(socket, data);
    });
    socket.addEventListener('close', drop);
    socket.addEventListener('error', drop);
    this.#after(CONNECT_MS, () => {
      drop();
      socket.close();
    });
  }

  send(frame: Readonly<Record<string, unknown>>): void {
    if (this.live) this.#socket?.send(JSON.stringify(frame));
  }

  /** Gives this socket up and opens another, at once. */
  again(): void {
    if (this.#ended) return;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
    this.#clear();
    this.#backoff.reset();
    this.#tell('offline');
    this.connect();
  }

  close(): void {
    this.#ended = true;
    this.#unlisten();
    this.#clear();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  #message(socket: WebSocketLike, data: unknown): void {
    try {
      this.#handlers.onText(String(data));
      this.#heard = true;
      this.#backoff.reset();
    } catch {
      this.#socket = null;
      this.#tell('offline');
      this.#after(BAD_FRAME_MS, () => this.connect());
      socket.close(BAD_FRAME, 'unreadable frame');
    }
  }

  #dropped(socket: WebSocketLike): void {
    if (this.#socket !== socket || this.#ended) return;
    this.#socket = null;
    this.#clear();
    this.#tell('offline');
    if (this.#heard) this.#retry();
    else void this.#why();
  }

  async #why(): Promise<void> {
    try {
      await this.#handlers.ask();
    } catch (error) {
      if (error instanceof FilepathError && FINAL.has(error.code)) {
        this.#tell('gone', error);
        this.close();
      }
    }
    if (this.#socket === null) this.#retry();
  }

  #retry(): void {
    if (this.#ended || this.#timer !== null) return;
    this.#after(this.#backoff.next(), () => this.connect());
  }

  #tell(state: FeedState, error?: FilepathError): void {
    if (this.#state === state || this.#ended) return;
    this.#state = state;
    this.#handlers.onState(state, error);
  }

  #after(ms: number, then: () => void): void {
    this.#clear();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      then();
    }, ms);
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Trying again changes nothing about these. A chat that its user may not have is a conflict. */
const FINAL: ReadonlySet<string> = new Set(['unauthenticated', 'not_found', 'conflict']);
