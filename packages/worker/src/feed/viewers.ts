import { LIMITS, ViewerFrame } from '@filepath/protocol';
import { type FeedItem, type FeedSource, readBounded } from './feed-source.ts';

/** A viewer's socket. `memory` survives the object's hibernation. */
export interface ViewerSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  remember(memory: ViewerMemory): void;
}

export type ViewerMemory = { sent: number; pending: Pending[] };

/** A frame on its way: released by an ack of `seq`, or of the `draft`-th draft frame. */
type Pending = { seq: number; draft: number; bytes: number };

type Viewer = { sent: number; drafts: number; pending: Pending[]; bytes: number; behind: boolean };

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
  #viewers = new Map<S, Viewer>();

  constructor(source: FeedSource, drafts: () => DraftState[], limit = LIMITS.unacknowledged) {
    this.#source = source;
    this.#drafts = drafts;
    this.#limit = limit;
  }

  get size(): number {
    return this.#viewers.size;
  }

  join(socket: S, after: number): void {
    this.#viewers.set(socket, { sent: after, drafts: 0, pending: [], bytes: 0, behind: true });
    this.#feed(socket);
  }

  /** A socket that outlived the object's memory. */
  restore(socket: S, memory: ViewerMemory): void {
    const bytes = memory.pending.reduce((sum, frame) => sum + frame.bytes, 0);
    const drafts = memory.pending.reduce((max, frame) => Math.max(max, frame.draft), 0);
    this.#viewers.set(socket, { ...memory, bytes, drafts, behind: false });
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
    if (!viewer) return;
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
    viewer.bytes = viewer.pending.reduce((sum, one) => sum + one.bytes, 0);
    this.#feed(socket);
  }

  /** New items, already stored. */
  publish(items: readonly FeedItem[]): void {
    const [firstItem] = items;
    const last = items.at(-1);
    if (!firstItem || !last || this.#viewers.size === 0) return;
    const frame = eventsFrame(items);
    for (const [socket, viewer] of this.#viewers) {
      const follows = viewer.sent === firstItem.seq - 1 && !viewer.behind;
      if (!follows || frame.length > LIMITS.frame || viewer.bytes >= this.#limit) {
        viewer.behind = true;
        this.#feed(socket);
      } else {
        this.#send(socket, viewer, frame, last.seq, false);
      }
    }
  }

  publishDelta(id: string, delta: string): void {
    const frame = JSON.stringify({ t: 'delta', id, delta });
    for (const [socket, viewer] of this.#viewers) {
      if (viewer.behind) continue;
      if (viewer.bytes >= this.#limit) viewer.behind = true;
      else this.#send(socket, viewer, frame, viewer.sent, true);
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
    while (viewer.bytes < this.#limit && viewer.sent < this.#source.head()) {
      const items = readBounded(this.#source, viewer.sent);
      const last = items.at(-1);
      if (!last) break;
      if (!this.#send(socket, viewer, eventsFrame(items), last.seq, false)) return;
    }
    if (!viewer.behind || viewer.sent < this.#source.head() || viewer.bytes >= this.#limit) return;
    viewer.behind = false;
    for (const draft of this.#drafts()) {
      const frame = JSON.stringify({ t: 'draft', ...draft });
      if (!this.#send(socket, viewer, frame, viewer.sent, true)) return;
    }
  }

  #send(socket: S, viewer: Viewer, frame: string, seq: number, draft: boolean): boolean {
    try {
      socket.send(frame);
    } catch {
      this.leave(socket);
      return false;
    }
    viewer.sent = seq;
    if (draft) viewer.drafts += 1;
    viewer.pending.push({ seq, draft: draft ? viewer.drafts : 0, bytes: frame.length });
    viewer.bytes += frame.length;
    socket.remember({ sent: viewer.sent, pending: condensed(viewer.pending) });
    return true;
  }
}

/** What is remembered over hibernation has a bounded size: many frames become one. */
function condensed(pending: readonly Pending[]): Pending[] {
  const last = pending.at(-1);
  if (!last || pending.length <= 8) return [...pending];
  const bytes = pending.reduce((sum, frame) => sum + frame.bytes, 0);
  const draft = last.draft > 0 ? last.draft : 0;
  return [{ seq: last.seq, draft, bytes }];
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
