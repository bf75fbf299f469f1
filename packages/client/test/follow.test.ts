import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FilepathError, type LogEvent, newSessionId } from '@filepath/protocol';
import { WebSocket as WsSocket } from 'ws';
import { createClient, type FeedState } from '../src/index.ts';
import { event, FeedServer, THREAD } from './feed-server.ts';

/** Collects what a feed hands over and lets a test wait for it. */
class Watch {
  readonly seqs: number[] = [];
  readonly states: FeedState[] = [];
  readonly drafts: string[] = [];
  error: FilepathError | undefined;
  #waiting: (() => boolean)[] = [];

  readonly onEvents = (events: readonly LogEvent[]): void => {
    this.seqs.push(...events.map((one) => one.seq));
    this.#stir();
  };
  readonly onDraft = (id: string, content: string): void => {
    this.drafts.push(`${id}=${content}`);
    this.#stir();
  };
  readonly onDelta = (id: string, delta: string): void => {
    this.drafts.push(`${id}+${delta}`);
    this.#stir();
  };
  readonly onState = (state: FeedState, error?: FilepathError): void => {
    this.states.push(state);
    this.error = error;
    this.#stir();
  };

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(() => condition() && (resolve(), true));
      this.#stir();
    });
  }

  seen(seq: number): Promise<void> {
    return this.until(() => this.seqs.includes(seq));
  }

  #stir(): void {
    this.#waiting = this.#waiting.filter((done) => !done());
  }
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

let server: FeedServer;
let watch: Watch;
let stop: AbortController;

beforeEach(async () => {
  server = new FeedServer();
  await server.start();
  watch = new Watch();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await server.kill();
});

const follow = (after?: number) =>
  createClient({ baseUrl: server.url, token: 'secret' }).followThread(THREAD, {
    after,
    onEvents: watch.onEvents,
    onDraft: watch.onDraft,
    onDelta: watch.onDelta,
    onState: watch.onState,
    signal: stop.signal,
  });

describe('a followed thread', () => {
  it('gets the log from the beginning, then what is new, and acknowledges each frame once', async () => {
    server.append(1, 2, 3);
    follow();
    const viewer = await server.joined(1);
    await watch.seen(3);
    server.send(viewer, 4);
    server.send(viewer, 5, 6);
    await server.until(() => viewer.acks.includes(6));
    expect(watch.seqs).toEqual(range(1, 6));
    expect(viewer.acks).toEqual([3, 4, 6]);
    expect(watch.states).toEqual(['connecting', 'live']);
  });

  it('sends the token with the upgrade', async () => {
    follow();
    const viewer = await server.joined(1);
    expect(viewer.headers.authorization).toBe('Bearer secret');
  });

  it('asks for what comes after the seq the caller has', async () => {
    server.append(1, 2, 3, 4);
    const following = follow(2);
    await watch.seen(4);
    expect((await server.joined(1)).after).toBe(2);
    expect(watch.seqs).toEqual([3, 4]);
    expect(following.seq).toBe(4);
  });

  it('drops what the server sends again and acknowledges where it stands', async () => {
    server.append(1, 2, 3);
    follow();
    const viewer = await server.joined(1);
    await watch.seen(3);
    server.send(viewer, 1, 2, 3);
    server.send(viewer, 2, 3, 4);
    await server.until(() => viewer.acks.length === 3);
    expect(watch.seqs).toEqual([1, 2, 3, 4]);
    expect(viewer.acks).toEqual([3, 3, 4]);
  });

  it('resumes after the last seq when the server is killed and comes back', async () => {
    server.append(...range(1, 50));
    follow();
    await watch.seen(50);
    await server.kill();
    await watch.until(() => watch.states.includes('offline'));
    server.append(...range(51, 80));
    await server.start();
    await watch.seen(80);
    expect((await server.joined(2)).after).toBe(50);
    expect(watch.seqs).toEqual(range(1, 80));
    expect(watch.states.at(-1)).toBe('live');
  });

  it('has every event once and in order over many cut sockets', async () => {
    server.append(...range(1, 300));
    server.onJoin = (viewer) => {
      const from = viewer.after + 1;
      server.send(viewer, ...range(Math.max(1, from - 5), Math.min(300, from + 59)));
      viewer.socket.once('message', () => viewer.socket.terminate());
    };
    follow();
    await watch.seen(300);
    expect(watch.seqs).toEqual(range(1, 300));
    expect(server.viewers.map((viewer) => viewer.after)).toEqual([0, 60, 120, 180, 240]);
  });

  it('takes a gap within a socket for a loss and fetches it again', async () => {
    server.append(...range(1, 4));
    server.onJoin = (viewer) => {
      if (viewer.after > 0) return server.feed(viewer);
      server.send(viewer, 1, 2);
      server.send(viewer, 4);
    };
    follow();
    await watch.seen(4);
    expect(watch.seqs).toEqual([1, 2, 3, 4]);
    expect(server.viewers.map((viewer) => viewer.after)).toEqual([0, 2]);
  });

  it('accepts a log that begins after a reset', async () => {
    server.append(40, 41);
    follow();
    await watch.seen(41);
    expect(watch.seqs).toEqual([40, 41]);
    expect(server.viewers).toHaveLength(1);
  });

  it.each([
    ['no JSON', '{"t":'],
    ['an unknown frame', '{"t":"surprise"}'],
    ['a broken event', JSON.stringify({ t: 'events', events: [{ ...event(2), seq: 0 }] })],
    ['events out of order', JSON.stringify({ t: 'events', events: [event(3), event(2)] })],
  ])('closes and reconnects on %s', async (_name, frame) => {
    server.append(1, 2);
    server.onJoin = (viewer) => {
      if (server.viewers.length > 1) return server.feed(viewer);
      server.send(viewer, 1);
      viewer.socket.send(frame);
    };
    follow();
    await watch.seen(2);
    expect(watch.seqs).toEqual([1, 2]);
    expect(watch.states).toEqual(['connecting', 'live', 'offline', 'connecting', 'live']);
  });

  it('hands over drafts and deltas and acknowledges how many it took in', async () => {
    follow();
    const viewer = await server.joined(1);
    viewer.socket.send(JSON.stringify({ t: 'draft', id: 'a', content: 'Hel' }));
    viewer.socket.send(JSON.stringify({ t: 'delta', id: 'a', delta: 'lo' }));
    await server.until(() => viewer.drafts === 2);
    expect(watch.drafts).toEqual(['a=Hel', 'a+lo']);
    server.send(viewer, 1);
    await server.until(() => viewer.acks.includes(1));
    expect(viewer.drafts).toBe(2);
  });

  it('is gone when it is deleted, and does not come back', async () => {
    follow();
    const viewer = await server.joined(1);
    viewer.socket.send(JSON.stringify({ t: 'deleted' }));
    await new Promise((resolve) => viewer.socket.once('close', resolve));
    expect(watch.states).toEqual(['connecting', 'live', 'gone']);
  });

  it.each([
    [404, 'not_found'],
    [401, 'unauthenticated'],
  ] as const)('is gone with the reason when the server answers %i', async (status, code) => {
    server.refuse = { status, body: { error: { code, message: 'no' } } };
    follow();
    await watch.until(() => watch.states.includes('gone'));
    expect(watch.error?.code).toBe(code);
    expect(server.viewers).toHaveLength(0);
  });

  it('tries again while the server is unavailable', async () => {
    server.refuse = { status: 503, body: null };
    server.append(1);
    follow();
    await watch.until(() => watch.states.includes('offline'));
    server.refuse = null;
    await watch.seen(1);
    expect(watch.states.at(-1)).toBe('live');
  });

  it('ends when the caller aborts', async () => {
    follow();
    const viewer = await server.joined(1);
    const closed = new Promise((resolve) => viewer.socket.once('close', resolve));
    stop.abort();
    await closed;
    expect(watch.states.at(-1)).not.toBe('offline');
  });

  it('runs on a socket of the caller', async () => {
    server.append(1);
    const client = createClient({
      baseUrl: server.url,
      token: 't',
      openSocket: (url, headers) => new WsSocket(url, { headers }),
    });
    client.followThread(THREAD, { onEvents: watch.onEvents, signal: stop.signal });
    await watch.seen(1);
    expect((await server.joined(1)).headers.authorization).toBe('Bearer t');
  });
});

describe('a feed in a browser', () => {
  it('reconnects at once when the browser is online again', async () => {
    const page = new EventTarget();
    const names = ['addEventListener', 'removeEventListener'] as const;
    for (const name of names) Reflect.set(globalThis, name, page[name].bind(page));
    try {
      follow();
      await server.joined(1);
      await watch.until(() => watch.states.includes('live'));
      page.dispatchEvent(new Event('online'));
      await server.joined(2);
      await watch.until(() => watch.states.length === 4);
      expect(watch.states).toEqual(['connecting', 'live', 'connecting', 'live']);
      stop.abort();
      page.dispatchEvent(new Event('online'));
      expect(watch.states).toHaveLength(4);
    } finally {
      for (const name of names) Reflect.deleteProperty(globalThis, name);
    }
  });
});

describe('a followed tree', () => {
  it('takes items whose seq skips, since a newer state replaces the ones before', async () => {
    const id = THREAD;
    server.onJoin = (viewer) => {
      const changes = [3, 9].map((seq) => ({ seq, type: 'deleted', id }));
      viewer.socket.send(JSON.stringify({ t: 'events', events: changes }));
      viewer.socket.send(
        JSON.stringify({ t: 'events', events: [{ seq: 14, type: 'deleted', id }] }),
      );
    };
    const seqs: number[] = [];
    createClient({ baseUrl: server.url }).followTree(newSessionId(), {
      onEvents: (changes) => void seqs.push(...changes.map((one) => one.seq)),
      signal: stop.signal,
    });
    const viewer = await server.joined(1);
    await server.until(() => viewer.acks.includes(14));
    expect(seqs).toEqual([3, 9, 14]);
    expect(viewer.acks).toEqual([9, 14]);
  });
});

describe('a silent feed', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => vi.useRealTimers());

  it('[FEED9] is asked whether it is there, and kept when it answers', async () => {
    server.append(1);
    follow();
    const viewer = await server.joined(1);
    await server.until(() => viewer.acks.includes(1));
    vi.advanceTimersByTime(30_000);
    await server.until(() => viewer.asked === 1);
    server.append(2);
    server.send(viewer);
    server.send(viewer, 2);
    await server.until(() => viewer.acks.includes(2));
    vi.advanceTimersByTime(15_000);
    expect(watch.states).toEqual(['connecting', 'live']);
    expect(viewer.acks).toEqual([1, 2]);
  });

  it('[FEED9] is left when it does not answer, and nothing is missed', async () => {
    server.append(1);
    follow();
    const viewer = await server.joined(1);
    await server.until(() => viewer.acks.includes(1));
    server.append(2, 3);
    vi.advanceTimersByTime(30_000);
    await server.until(() => viewer.asked === 1);
    vi.advanceTimersByTime(15_000);
    expect(watch.states.at(-1)).toBe('offline');
    vi.advanceTimersByTime(5000);
    await watch.seen(3);
    expect(watch.seqs).toEqual([1, 2, 3]);
    expect(server.viewers[1]?.after).toBe(1);
  });
});
