import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { ThreadFrame, type ThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ask, logOf, message, newAgent, OWNER } from './support/api.ts';
import { exited, TestLink, TestRunner, text } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';

const evict = (thread: ThreadId) => evictDurableObject(env.THREAD.getByName(thread));

async function talking() {
  const { session, node } = await newAgent();
  await message(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  return { session, node, link };
}

const watch = (thread: ThreadId) => TestSocket.open(`/api/thread/${thread}/events`, OWNER);

async function seqsTo(socket: TestSocket, last: number): Promise<number[]> {
  const seqs: number[] = [];
  while ((seqs.at(-1) ?? 0) < last) {
    const frame = ThreadFrame.parse(await socket.until('events'));
    if (frame.t === 'events') seqs.push(...frame.events.map((event) => event.seq));
  }
  return seqs;
}

describe('a thread that lost its memory', () => {
  it('goes on with its viewer and its agent on the same sockets, each event once', async () => {
    const { node, link } = await talking();
    const viewer = await watch(node.id);
    await link.say(text('a'));
    await evict(node.id);
    await link.say(text('b'));
    await evict(node.id);
    await evict(node.id).catch(() => undefined);
    await link.say(text('c'), text('d'));
    expect(await seqsTo(viewer, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    await evict(node.id);
    link.observe(exited());
    expect(await link.socket.next()).toEqual({ t: 'over', reason: 'ended' });
    expect((await logOf(node.id)).map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('gives inputs to the agent on the socket it had', async () => {
    const { node, link } = await talking();
    await evict(node.id);
    await message(node.id, 'more');
    expect(await link.socket.next()).toMatchObject({ t: 'input', input: { id: 2 } });
  });

  it('takes nothing from a socket whose epoch is over, and gives it nothing', async () => {
    const { node, link } = await talking();
    await link.say(text('a'), { type: 'done' });
    await message(node.id, 'again');
    await link.socket.until('input');
    link.observe(exited());
    expect(await link.socket.next()).toEqual({ t: 'over', reason: 'ended' });
    await evict(node.id);
    await message(node.id, 'third');
    const next = await TestLink.open(node.id, 2, 0);
    expect(await next.socket.next()).toMatchObject({ t: 'input', input: { id: 1 } });
    expect(await next.socket.next()).toMatchObject({ t: 'input', input: { id: 2 } });
    expect(link.socket.waiting).toBe(0);
  });

  it('counts what its viewer has not acknowledged, and gives it the draft once it caught up', async () => {
    const { node, link } = await talking();
    const viewer = await watch(node.id);
    const content = 'x'.repeat(200_000);
    for (let i = 0; i < 10; i += 1) await link.say(text(content));
    const partial = { ...text('he'), id: 'm', partial: true };
    await link.say(partial);
    await evict(node.id);
    for (let seq = 0; seq < 12;) {
      const frame = ThreadFrame.parse(await viewer.next());
      expect(frame.t).toBe('events');
      if (frame.t === 'events') seq = frame.events.at(-1)?.seq ?? seq;
      viewer.send({ t: 'ack', seq });
    }
    expect(await viewer.next()).toEqual({ t: 'draft', id: 'm', content: 'he' });
    await link.say({ ...partial, content: 'llo' });
    expect(await viewer.next()).toEqual({ t: 'delta', id: 'm', delta: 'llo' });
  });
});

describe('other objects that lost their memory', () => {
  it('a runner’s orders reach it on the socket it had', async () => {
    const runner = await TestRunner.connect();
    await evictDurableObject(env.RUNNER.getByName('rn_local'));
    const { node } = await newAgent();
    await message(node.id);
    expect(await runner.order(node.id)).toMatchObject({ kind: 'start' });
  });

  it('a session’s viewer sees the next change once', async () => {
    const { session, node } = await newAgent();
    const viewer = await TestSocket.open(`/api/session/${session.id}/events`, OWNER);
    await viewer.until('events');
    await evictDurableObject(env.SESSION.getByName(session.id));
    await ask(200, 'PATCH', `/api/session/${session.id}/node/${node.id}`, { name: 'renamed' });
    const frame = await viewer.until('events');
    expect(frame['events']).toMatchObject([{ type: 'node', node: { name: 'renamed' } }]);
  });
});
