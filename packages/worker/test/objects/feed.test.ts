import { LIMITS, ThreadFrame, type LogEvent, type ThreadId } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { ThreadFeed } from '../../src/thread/thread-feed.ts';
import { ask, call, logOf, message, newAgent, OWNER, page } from './support/api.ts';
import { exited, TestLink, text } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';
import { openSse } from './support/sse.ts';

async function talking(...contents: string[]) {
  const { session, node } = await newAgent();
  await message(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  if (contents.length > 0) await link.say(...contents.map(text));
  return { session, node, link };
}

const watch = (thread: ThreadId, after = 0) =>
  TestSocket.open(`/api/thread/${thread}/events?after=${after}`, OWNER);

const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Reads events until this seq, acknowledging as it goes. */
async function readTo(socket: TestSocket, seq: number): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  while ((events.at(-1)?.seq ?? 0) < seq) {
    const frame = ThreadFrame.parse(await socket.until('events'));
    if (frame.t === 'events') events.push(...frame.events);
    socket.send({ t: 'ack', seq: events.at(-1)?.seq ?? 0 });
  }
  return events;
}

describe('a JSON page', () => {
  it('[FEED3] is bounded by the limit, and says where to go on', async () => {
    const { node } = await talking('a', 'b', 'c');
    const first = await page(node.id, '?limit=2');
    expect([first.events.map((event) => event.seq), first.next]).toEqual([[1, 2], 2]);
    const last = await page(node.id, '?after=2&limit=1000');
    expect([last.events.map((event) => event.seq), last.next]).toEqual([[3, 4, 5], null]);
    expect(await page(node.id, '?after=99')).toEqual({ events: [], next: null });
    await ask(400, 'GET', `/api/thread/${node.id}/events?limit=1001`);
    await ask(400, 'GET', `/api/thread/${node.id}/events?after=-1`);
  });

  it('holds few large events', async () => {
    const { node, link } = await talking();
    const large = 'x'.repeat(LIMITS.inlineBody - 100);
    for (let i = 0; i < 20; i += 1) await link.say(text(large));
    const { events, next } = await page(node.id);
    expect(JSON.stringify(events).length).toBeLessThan(5 * LIMITS.frame);
    expect(next).toBe(events.at(-1)?.seq);
    expect((await logOf(node.id)).map((event) => event.seq)).toEqual(upTo(1, 22));
  });
});

describe('server-sent events', () => {
  it('[FEED1] [FEED2] go on after the last event id, and then live', async () => {
    const { node, link } = await talking('a', 'b');
    const first = await openSse(`/api/thread/${node.id}/events?after=1`);
    expect((await first.take(3)).map(({ id }) => id)).toEqual([2, 3, 4]);
    await first.cancel();
    const path = `/api/thread/${node.id}/events?after=1`;
    const second = await openSse(path, { 'last-event-id': '3' });
    const [event] = await second.take(1);
    expect(event).toMatchObject({ id: 4, data: { seq: 4, body: text('b') } });
    const live = second.take(1);
    await link.say(text('c'));
    expect(await live).toMatchObject([{ id: 5, data: { body: text('c') } }]);
    await second.cancel();
    const wrong = { ...OWNER, accept: 'text/event-stream', 'last-event-id': 'x' };
    expect((await call(path, { headers: wrong })).status).toBe(400);
  });

  it('[FEED5] are read for a reader that stops no further than it reads, and lose nothing', async () => {
    const { node, link } = await talking();
    const reads = vi.spyOn(ThreadFeed.prototype, 'read');
    const reader = await openSse(`/api/thread/${node.id}/events`);
    const content = 'x'.repeat(100_000);
    for (let i = 0; i < 50; i += 1) await link.say(text(content), text(content));
    const furthest = Math.max(...reads.mock.calls.map(([after]) => after));
    expect([furthest >= 0, furthest < 20]).toEqual([true, true]);
    reads.mockRestore();
    expect((await reader.take(102)).map(({ id }) => id)).toEqual(upTo(1, 102));
    await reader.cancel();
  });

  it('[FEED8] say that the thread is deleted, and end', async () => {
    const { session, node } = await talking('a');
    const reader = await openSse(`/api/thread/${node.id}/events`);
    await reader.take(3);
    const rest = reader.take(2);
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
    expect((await rest).map((event) => event.name)).toEqual(['deleted']);
  });
});

describe('a WebSocket viewer', () => {
  it('[FEED2] goes on after its seq, live, each event once', async () => {
    const { node, link } = await talking('a', 'b');
    const viewer = await watch(node.id, 2);
    expect((await readTo(viewer, 4)).map((event) => event.seq)).toEqual([3, 4]);
    await link.say(text('c'), text('d'));
    await link.say(text('e'));
    expect((await readTo(viewer, 7)).map((event) => event.seq)).toEqual([5, 6, 7]);
  });

  it('[FEED4] that never acknowledges gets about 1 MiB, and everything once it does', async () => {
    const { node, link } = await talking();
    const silent = await watch(node.id);
    const content = 'x'.repeat(100_000);
    for (let i = 0; i < 40; i += 1) await link.say(text(content));
    expect(await readTo(await watch(node.id, 41), 42)).toHaveLength(1);
    expect(silent.bytes).toBeGreaterThan(LIMITS.unacknowledged / 2);
    expect(silent.bytes).toBeLessThan(LIMITS.unacknowledged + 300_000);
    expect((await readTo(silent, 42)).map((event) => event.seq)).toEqual(upTo(1, 42));
  });

  it('may leave', async () => {
    const { node } = await talking();
    const viewer = await watch(node.id);
    viewer.close();
    expect((await viewer.closed).code).toBe(1000);
  });

  it('is closed when it sends anything else', async () => {
    const { node } = await talking();
    const viewer = await watch(node.id);
    viewer.send({ t: 'delete' });
    expect((await viewer.closed).code).toBe(1008);
  });

  it('[FEED8] is told that the thread is deleted', async () => {
    const { session, node } = await talking();
    const viewer = await watch(node.id);
    await ask(204, 'DELETE', `/api/session/${session.id}`);
    await viewer.until('deleted');
    expect((await viewer.closed).code).toBe(1000);
  });
});

describe('drafts', () => {
  const partial = (content: string) => ({ ...text(content), id: 'm', partial: true });

  it('[FEED6] come whole to one that joins, then as deltas, until the text is logged', async () => {
    const { node, link } = await talking();
    await link.say(partial('he'), partial('ll'));
    const viewer = await watch(node.id, 2);
    expect(await viewer.next()).toEqual({ t: 'draft', id: 'm', content: 'hell' });
    await link.say(partial('o'));
    expect(await viewer.next()).toEqual({ t: 'delta', id: 'm', delta: 'o' });
    await link.say({ ...text('hello'), id: 'm' });
    expect(await viewer.next()).toMatchObject({ t: 'events', events: [{ seq: 3 }] });
    expect(await logOf(node.id)).toHaveLength(3);
  });

  it('[LOG11] are logged as truncated when the agent dies', async () => {
    const { node, link } = await talking();
    await link.say(partial('hal'));
    link.observe(exited(1, 137));
    await link.socket.until('over');
    const [draft] = (await logOf(node.id)).slice(2);
    expect(draft?.body).toEqual({ ...text('hal'), id: 'm', truncated: true });
  });
});
