import { abortAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Node, ThreadId } from '@filepath/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { USUAL_CAPS } from '../../src/session/caps.ts';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import { ask, logOf, message, newAgent, newNode, newSession, treeOf } from './support/api.ts';
import { alarmsOf, breakMethod, fireAlarm } from './support/faults.ts';
import { exited, TestLink, TestRunner } from './support/runner.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const nodeOf = async (session: string, id: ThreadId): Promise<Node | undefined> =>
  (await treeOf(session)).nodes.find((node) => node.id === id);

const signalsOf = async (id: ThreadId) =>
  (await logOf(id)).map(({ body }) => Object(body)).filter(({ type }) => type === 'signal');

/** A session whose slots are all taken, and two agents in line. */
async function full() {
  const session = await newSession();
  const nodes: Node[] = [];
  for (let n = 0; n < USUAL_CAPS.working + 2; n += 1) nodes.push(await newNode(session.id));
  for (const { id } of nodes) await message(id);
  const [next, last] = nodes.slice(-2);
  if (!nodes[0] || !next || !last) throw new Error('no nodes');
  await expect.poll(async () => (await nodeOf(session.id, last.id))?.queue).toBe(2);
  return { session, first: nodes[0], next, last };
}

describe('the line of starts', () => {
  it('[QUE3] [QUE4] starts as many as there are slots, and the next when one has ended', async () => {
    const runner = await TestRunner.connect();
    const { session, first, next, last } = await full();
    expect(await nodeOf(session.id, next.id)).toMatchObject({ reason: 'queued', queue: 1 });
    await message(next.id, 'and this');
    const link = await TestLink.open(first.id, 1, 1);
    await link.started();
    link.observe(exited());
    const order = await runner.order(next.id);
    expect(order).toMatchObject({ kind: 'start', epoch: 1, inputs: [{ id: 1 }, { id: 2 }] });
    await expect.poll(async () => (await nodeOf(session.id, last.id))?.queue).toBe(1);
    expect(await nodeOf(session.id, next.id)).toMatchObject({ queue: null });
  });

  it('[QUE1] [F9] starts by the alarm what was let go when the session was lost', async () => {
    const { session, node } = await newAgent();
    const go = breakMethod(ThreadObject.prototype, 'go');
    await message(node.id);
    await expect.poll(() => go.calls.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await abortAllDurableObjects();
    vi.restoreAllMocks();
    const stub = env.SESSION.getByName(session.id);
    expect(await alarmsOf(stub)).toContain('work');
    await fireAlarm(stub);
    const runner = await TestRunner.connect();
    expect(await runner.order(node.id)).toMatchObject({ kind: 'start', epoch: 1 });
    await expect.poll(() => alarmsOf(stub)).not.toContain('work');
  });

  it('[QUE2] a stop of one in line starts nothing, and it may wish again', async () => {
    const { session, next, last } = await full();
    await ask(202, 'POST', `/api/thread/${next.id}/signal`, { action: 'stop' });
    await expect.poll(async () => (await nodeOf(session.id, last.id))?.queue).toBe(1);
    expect(await nodeOf(session.id, next.id)).toMatchObject({ reason: 'stopped', queue: null });
    await message(next.id, 'again');
    await expect.poll(async () => (await nodeOf(session.id, next.id))?.queue).toBe(2);
  });
});

describe('a pause', () => {
  it('[PAUSE1] [PAUSE3] freezes what runs below, and what was asked meanwhile starts after', async () => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const child = await newNode(session.id, { parentId: node.id });
    await message(child.id);
    await runner.order(child.id);
    const link = await TestLink.open(child.id, 1, 1);
    await link.started();
    const path = `/api/session/${session.id}`;
    await ask(202, 'POST', `${path}/signal`, { action: 'pause', reason: 'lunch' });
    expect(await runner.order(child.id)).toMatchObject({ kind: 'freeze', frozen: true });
    await message(node.id);
    await expect
      .poll(async () => (await treeOf(session.id)).nodes.map(({ reason }) => reason))
      .toEqual(['paused: lunch', 'paused: lunch']);
    expect((await treeOf(session.id)).session.status).toBe('paused');
    const refused = await ask(409, 'POST', `/api/thread/${child.id}/signal`, { action: 'resume' });
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('the session') } });
    await ask(202, 'POST', `${path}/signal`, { action: 'resume' });
    expect(await runner.order(child.id)).toMatchObject({ kind: 'freeze', frozen: false });
    expect(await signalsOf(child.id)).toHaveLength(2);
    const again = await TestRunner.connect();
    expect(await again.order(node.id)).toMatchObject({ kind: 'start', epoch: 1 });
  });

  it('[PAUSE2] is told by the alarm when the session was lost before, once', async () => {
    const { session, node } = await newAgent();
    breakMethod(ThreadObject.prototype, 'hold');
    await ask(500, 'POST', `/api/thread/${node.id}/signal`, { action: 'pause' });
    await abortAllDurableObjects();
    vi.restoreAllMocks();
    const stub = env.SESSION.getByName(session.id);
    await fireAlarm(stub);
    await fireAlarm(stub);
    expect(await signalsOf(node.id)).toEqual([{ type: 'signal', action: 'pause' }]);
  });

  it('[PAUSE4] ends by itself after its time', async () => {
    const { session, node } = await newAgent();
    const until = new Date(Date.now() + 3_000).toISOString();
    const pause = { action: 'pause', reason: 'limit', until };
    await ask(202, 'POST', `/api/thread/${node.id}/signal`, pause);
    expect(await alarmsOf(env.SESSION.getByName(session.id))).toContain('resume');
    await expect
      .poll(() => signalsOf(node.id))
      .toEqual([
        { type: 'signal', action: 'pause', reason: 'limit', until },
        { type: 'signal', action: 'resume' },
      ]);
    await ask(400, 'POST', `/api/thread/${node.id}/signal`, { action: 'stop', reason: 'no' });
  });
});
