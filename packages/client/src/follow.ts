import {
  type AttentionChange,
  FilepathError,
  type LogEvent,
  type TreeChange,
} from '@filepath/protocol';
import { Backoff } from './backoff.ts';
import { onOnline } from './online.ts';
import type { WebSocketLike } from './socket.ts';

/** `gone`: deleted, or not for this viewer; the feed does not try again. */
export type FeedState = 'connecting' | 'live' | 'offline' | 'gone';

export type FollowOptions<I> = {
  /** The last seq that the caller already has. */
  after?: number | undefined;
  /** Each item once, in order. What it returns from is acknowledged. */
  onEvents: (events: readonly I[]) => void;
  /** With `gone`, the error says why, unless the resource was deleted while it was followed. */
  onState?: ((state: FeedState, error?: FilepathError) => void) | undefined;
  signal?: AbortSignal | undefined;
};

export type ThreadFollowOptions = FollowOptions<LogEvent> & {
  /** The whole text of a draft, to a viewer that joins or fell behind. */
  onDraft?: ((id: string, content: string) => void) | undefined;
  onDelta?: ((id: string, delta: string) => void) | undefined;
};

export type Following = {
  /** The last seq handed over. */
  readonly seq: number;
  close(): void;
};

export type FeedItem = LogEvent | TreeChange | AttentionChange;

type Frame<I> =
  | { t: 'events'; events: I[] }
  | { t: 'draft'; id: string; content: string }
  | { t: 'delta'; id: string; delta: string }
  | { t: 'deleted' };

export type FeedSource<I> = {
  open: (after: number) => WebSocketLike;
  /** Asks over HTTP why a socket was refused: a WebSocket does not tell. Rejects with a FilepathError. */
  probe: (after: number) => Promise<unknown>;
  /** Throws on a frame that is not of this feed. */
  parse: (data: unknown) => Frame<I>;
  /** Whether seq has no gaps, so that one proves a loss. */
  dense: boolean;
};

const CONNECT_MS = 15_000;
/** A socket that lived this long was a good one, also when nothing happened on it. */
const SETTLED_MS = 10_000;
const BAD_FRAME = 4000;
/** A feed that says nothing for so long is asked whether it is there: a socket can be open and lead to nobody. */
const SILENT_MS = 30_000;
const ANSWER_MS = 15_000;

type Connection = {
  socket: WebSocketLike;
  openedAt: number | null;
  heard: boolean;
  dense: boolean;
  /** `draft` and `delta` frames taken in. */
  drafts: number;
};

/** One feed over as many sockets as it takes. */
export class Follower<I extends { seq: number }> implements Following {
  #seq: number;
  #connection: Connection | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #ended = false;
  #state: FeedState | null = null;
  readonly #backoff: Backoff;
  readonly #source: FeedSource<I>;
  readonly #options: FollowOptions<I> & Partial<Pick<ThreadFollowOptions, 'onDraft' | 'onDelta'>>;
  readonly #unlisten: () => void;

  constructor(
    source: FeedSource<I>,
    options: FollowOptions<I> & Partial<Pick<ThreadFollowOptions, 'onDraft' | 'onDelta'>>,
    backoff = new Backoff(),
  ) {
    this.#source = source;
    this.#options = options;
    this.#backoff = backoff;
    this.#seq = options.after ?? 0;
    this.#unlisten = onOnline(() => this.#reconnectNow());
    options.signal?.addEventListener('abort', () => this.close(), { once: true });
    if (options.signal?.aborted) this.close();
    else this.#connect();
  }

  get seq(): number {
    return this.#seq;
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unlisten();
    this.#clearTimer();
    const connection = this.#connection;
    this.#connection = null;
    connection?.socket.close(1000);
  }

  #connect(): void {
    this.#tell('connecting');
    if (this.#ended) return;
    const connection: Connection = {
      socket: this.#source.open(this.#seq),
      openedAt: null,
      heard: false,
      dense: false,
      drafts: 0,
    };
    this.#connection = connection;
    const { socket } = connection;
    const drop = (): void => this.#dropped(connection);
    socket.addEventListener('open', () => {
      if (this.#connection !== connection) return;
      connection.openedAt = Date.now();
      this.#listen(connection);
      this.#tell('live');
    });
    socket.addEventListener('message', (event) => {
      if (this.#connection === connection) this.#message(connection, event.data);
    });
    socket.addEventListener('close', drop);
    socket.addEventListener('error', drop);
    this.#after(CONNECT_MS, () => {
      drop();
      socket.close();
    });
  }

  #message(connection: Connection, data: unknown): void {
    let frame: Frame<I>;
    let fresh: I[] = [];
    try {
      frame = this.#source.parse(data);
      if (frame.t === 'events') fresh = this.#fresh(connection, frame.events);
    } catch {
      this.#dropped(connection);
      connection.socket.close(BAD_FRAME, 'unreadable frame');
      return;
    }
    connection.heard = true;
    this.#backoff.reset();
    this.#listen(connection);
    switch (frame.t) {
      case 'events':
        if (fresh.length > 0) this.#options.onEvents(fresh);
        this.#seq = fresh.at(-1)?.seq ?? this.#seq;
        break;
      case 'draft':
        this.#options.onDraft?.(frame.id, frame.content);
        connection.drafts += 1;
        break;
      case 'delta':
        this.#options.onDelta?.(frame.id, frame.delta);
        connection.drafts += 1;
        break;
      case 'deleted':
        this.#gone();
        return;
    }
    const nothing = frame.t === 'events' && frame.events.length === 0;
    if (this.#connection === connection && !nothing) this.#acknowledge(connection);
  }

  #acknowledge({ socket, drafts }: Connection, answer = false): void {
    const ack = { t: 'ack', seq: this.#seq, ...(drafts > 0 ? { drafts } : {}) };
    socket.send(JSON.stringify(answer ? { ...ack, answer } : ack));
  }

  /** Until the next frame: when none comes, the other side is asked, and given up when it does not answer. */
  #listen(connection: Connection): void {
    this.#after(SILENT_MS, () => {
      this.#acknowledge(connection, true);
      this.#after(ANSWER_MS, () => {
        this.#dropped(connection);
        connection.socket.close(BAD_FRAME, 'no answer');
      });
    });
  }

  /**
   * The items above the last seq. Throws when they do not rise, or when a dense feed skips one; only the first
   * items of a socket may skip, since a log may begin after 1.
   */
  #fresh(connection: Connection, items: I[]): I[] {
    const fresh = items.filter((item) => item.seq > this.#seq);
    let last = this.#seq;
    for (const item of fresh) {
      const skips = connection.dense && item.seq !== last + 1;
      if (item.seq <= last || skips) throw new Error(`seq ${item.seq} follows ${last}`);
      last = item.seq;
      connection.dense = this.#source.dense;
    }
    return fresh;
  }

  #dropped(connection: Connection): void {
    if (this.#connection !== connection || this.#ended) return;
    this.#connection = null;
    this.#clearTimer();
    this.#tell('offline');
    const { openedAt } = connection;
    if (openedAt !== null && Date.now() - openedAt >= SETTLED_MS) this.#backoff.reset();
    if (connection.heard) this.#retry();
    else void this.#ask();
  }

  async #ask(): Promise<void> {
    try {
      await this.#source.probe(this.#seq);
    } catch (error) {
      if (error instanceof FilepathError && isFinal(error)) return this.#gone(error);
    }
    if (this.#connection === null) this.#retry();
  }

  #retry(): void {
    if (this.#ended || this.#timer !== null) return;
    this.#after(this.#backoff.next(), () => this.#connect());
  }

  /** A network that came back may have left a socket that will never say it is dead. */
  #reconnectNow(): void {
    if (this.#ended) return;
    const connection = this.#connection;
    this.#connection = null;
    connection?.socket.close(1000);
    this.#clearTimer();
    this.#backoff.reset();
    this.#connect();
  }

  #gone(error?: FilepathError): void {
    if (this.#ended) return;
    this.#tell('gone', error);
    this.close();
  }

  #tell(state: FeedState, error?: FilepathError): void {
    if (this.#state === state || this.#ended) return;
    this.#state = state;
    this.#options.onState?.(state, error);
  }

  #after(ms: number, then: () => void): void {
    this.#clearTimer();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      then();
    }, ms);
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function isFinal(error: FilepathError): boolean {
  return error.code === 'unauthenticated' || error.code === 'not_found';
}
