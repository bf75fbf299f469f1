import { LIMITS, ViewerFrame } from '@filepath/protocol';
import { type FeedItem, type FeedSource, readBounded } from './feed-source.ts';

/** A viewer's socket. `memory` survives the object's hibernation. */
export interface ViewerSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  remember(memory: ViewerMemory): void;
}

/** `behind`: what is new does not follow on what was sent; it is to be read from storage, and drafts whole. */
export type ViewerMemory = { sent: number; drafts: number; behind: boolean; pending: Pending[] };

/** Frames on their way: released by an ack of `seq`, or of the `draft`-th draft frame. */
type Pending = { seq: number; draft: number; bytes: number };

type Delta = { id: string; delta: string };

export type DraftState = { id: string; content: string };

/**
 * The WebSocket viewers of one feed. A viewer that acknowledges gets what is new from memory; one that has too
 * much unacknowledged gets nothing more until it does, and then reads on from storage. So a viewer that stops
 * reading costs a bounded amount of memory, whatever happens meanwhile.
 */
export class Viewers<S extends ViewerSocket> {
  #source: FeedSource;
  #drafts: () => DraftState[];
  #limit: number;
  #viewers = new Map<S, ViewerMemory>();

  constructor(source: FeedSource, drafts: () => DraftState[], limit = LIMITS.unacknowledged) {
    this.#source = source;
    this.#drafts = drafts;
    this.#limit = limit;
  }

  get size(): number {
    return this.#viewers.size;
  }

  join(socket: S, after: number): void {
    this.#viewers.set(socket, newcomer(after));
    this.#feed(socket);
  }

  /** A socket that outlived the object's memory. */
  restore(socket: S, memory: ViewerMemory): void {
    this.#viewers.set(socket, memory);
  }

  has(socket: S): boolean {
    return this.#viewers.has(socket);
  }

  leave(socket: S): void {
    this.#viewers.delete(socket);
  }

  /** A frame from a viewer. Anything but an acknowledgement ends the connection. */
  receive(socket: S, text: string): void {
    const viewer = this.#viewers.get(socket);
    // One that is not fed any more is not kept waiting: it comes back with what it has.
    if (!viewer) return socket.close(GOING_AWAY, 'connect again');
    const frame = parseFrame(text);
    if (!frame) {
      this.leave(socket);
      socket.close(1008, 'expected {"t":"ack","seq":N}');
      return;
    }
    viewer.pending = viewer.pending.filter((one) =>
      one.draft > 0
        ? !(frame.seq > one.seq || (frame.drafts ?? 0) >= one.draft)
        : frame.seq < one.seq,
    );
    this.#feed(socket);
    if (frame.answer) socket.send(eventsFrame([]));
  }

  /** New items, already stored, and the deltas that were stored with them and come after them. */
  publish(items: readonly FeedItem[], deltas: readonly Delta[] = []): void {
    if (this.#viewers.size === 0) return;
    const last = items.at(-1);
    const frame = eventsFrame(items);
    for (const [socket, viewer] of this.#viewers) {
      if (last && !this.#follows(viewer, items, frame)) {
        viewer.behind = true;
        // Drafts as they are stored have the deltas already.
        this.#feed(socket);
        continue;
      }
      if (last) this.#send(socket, viewer, frame, last.seq, false);
      for (const delta of deltas) this.#sendDelta(socket, viewer, delta);
    }
  }

  close(frame: string, code: number, reason: string): void {
    for (const socket of this.#viewers.keys()) {
      try {
        socket.send(frame);
        socket.close(code, reason);
      } catch {
        // The socket is gone already.
      }
    }
    this.#viewers.clear();
  }

  /** Sends from storage until the viewer is up to date or has enough to acknowledge. */
  #feed(socket: S): void {
    const viewer = this.#viewers.get(socket);
    if (!viewer) return;
    while (this.#hasRoom(viewer, 'events') && viewer.sent < this.#source.head()) {
      const items = readBounded(this.#source, viewer.sent);
      const last = items.at(-1);
      if (!last) break;
      if (!this.#send(socket, viewer, eventsFrame(items), last.seq, false)) return;
    }
    const current = viewer.sent >= this.#source.head();
    if (viewer.behind && current && this.#hasRoom(viewer, 'all')) this.#catchUp(socket, viewer);
    else socket.remember(viewer);
  }

  /** The drafts whole; from here on the viewer gets what is new as it comes. */
  #catchUp(socket: S, viewer: ViewerMemory): void {
    viewer.behind = false;
    socket.remember(viewer);
    for (const draft of this.#drafts()) {
      const frame = JSON.stringify({ t: 'draft', ...draft });
      if (!this.#send(socket, viewer, frame, viewer.sent, true)) return;
    }
  }

  #follows(viewer: ViewerMemory, items: readonly FeedItem[], frame: string): boolean {
    return (
      !viewer.behind &&
      viewer.sent + 1 === items[0]?.seq &&
      frame.length <= LIMITS.frame &&
      this.#hasRoom(viewer, 'events')
    );
  }

  /** Drafts never keep events back, so that a viewer which acknowledges nothing but seqs goes on. */
  #hasRoom(viewer: ViewerMemory, counted: 'events' | 'all'): boolean {
    const bytes = viewer.pending
      .filter((one) => counted === 'all' || one.draft === 0)
      .reduce((sum, one) => sum + one.bytes, 0);
    return bytes < this.#limit;
  }

  #sendDelta(socket: S, viewer: ViewerMemory, delta: Delta): void {
    if (viewer.behind) return;
    if (this.#hasRoom(viewer, 'all')) {
      this.#send(socket, viewer, JSON.stringify({ t: 'delta', ...delta }), viewer.sent, true);
    } else {
      viewer.behind = true;
      socket.remember(viewer);
    }
  }

  #send(socket: S, viewer: ViewerMemory, frame: string, seq: number, draft: boolean): boolean {
    try {
      socket.send(frame);
    } catch {
      this.leave(socket);
      return false;
    }
    viewer.sent = seq;
    if (draft) viewer.drafts += 1;
    viewer.pending.push({ seq, draft: draft ? viewer.drafts : 0, bytes: frame.length });
    if (viewer.pending.length > MAX_PENDING) viewer.pending = halved(viewer.pending);
    socket.remember(viewer);
    return true;
  }
}

/** What is known of a viewer that has got nothing yet. */
export function newcomer(after: number): ViewerMemory {
  return { sent: after, drafts: 0, behind: true, pending: [] };
}

const GOING_AWAY = 1001;

/** A socket remembers a bounded amount, so that of many frames each two of a kind become one. */
const MAX_PENDING = 32;

function halved(pending: readonly Pending[]): Pending[] {
  const kinds = [pending.filter((one) => one.draft === 0), pending.filter((one) => one.draft > 0)];
  return kinds.flatMap((frames) =>
    frames.flatMap((one, i) => {
      const before = frames[i - 1];
      if (i % 2 === 1 && before) return [{ ...one, bytes: before.bytes + one.bytes }];
      return i === frames.length - 1 ? [one] : [];
    }),
  );
}

function eventsFrame(items: readonly FeedItem[]): string {
  return `{"t":"events","events":[${items.map((item) => item.json).join(',')}]}`;
}

function parseFrame(text: string): ViewerFrame | null {
  try {
    return ViewerFrame.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
