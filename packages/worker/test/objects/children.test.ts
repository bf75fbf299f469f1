import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test';
import { Child, Children, type LogEvent, type ThreadId } from '@filepath/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import { ask as asOwner, logOf, message, newNode, treeOf } from './support/api.ts';
import { askAndLeave, askAs, newRoot, type Root, work } from './support/agents.ts';
import { breakMethod, fireAlarm } from './support/faults.ts';
import { exited, text } from './support/runner.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const wish = { key: 'k1', name: 'kid', task: 'dig' };

const spawn = async ({ ask }: Root, more: object = {}) =>
  z.object({ child: Child }).parse(await ask('children', { ...wish, ...more })).child;

const waitAs = async ({ ask }: Root, more: object = {}) =>
  Children.parse(await ask('children/wait', more)).children;

const fromChildren = async (thread: ThreadId): Promise<LogEvent[]> =>
  (await logOf(thread)).filter(({ body }) => Reflect.get(Object(body), 'from') === 'child');

describe('[TALK1] a parent is told of the end of a child', () => {
  it('by one message with its last words, however often it is told', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    await kid.say(text('digging'), { type: 'done', summary: 'dug' });
    await expect.poll(() => fromChildren(root.node.id)).toHaveLength(1);
    const note = { seq: 4, outcome: 'completed' as const, reason: null, words: 'dug' };
    await root.stub.note(id, { kind: 'result', note });
    await evictDurableObject(root.stub);
    await root.stub.note(id, { kind: 'result', note });
    await fireAlarm(root.stub);
    const [told, ...more] = await fromChildren(root.node.id);
    expect(more).toEqual([]);
    expect(told).toMatchObject({
      source: 'system',
      body: { type: 'message', child: { id, name: 'kid' } },
    });
    const { content } = z.object({ content: z.string() }).parse(told?.body);
    expect(content).toContain('Your child kid has finished: completed.');
    expect(content).toContain('dug');
    expect(content).toContain(id);
  });

  it('though its thread could not be told at first', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    const broken = breakMethod(ThreadObject.prototype, 'result');
    await kid.say({ type: 'done', summary: 'dug' });
    await expect.poll(() => broken.calls.length).toBeGreaterThan(0);
    await abortAllDurableObjects();
    vi.restoreAllMocks();
    await fireAlarm(root.stub);
    await expect.poll(() => fromChildren(root.node.id)).toHaveLength(1);
  });

  it('[TALK2] which starts a process for a parent that has ended', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    await root.link.say({ type: 'done' });
    root.link.observe(exited());
    const kid = await work(root.runner, id);
    kid.observe(exited(1, 3));
    const order = await root.runner.order(root.node.id);
    expect(order).toMatchObject({
      kind: 'start',
      epoch: 2,
      task: expect.stringContaining('Your child kid has finished: it failed (exit 3).'),
    });
  });

  it('[F10] unless it is stopped', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    await asOwner(202, 'POST', `/api/thread/${root.node.id}/signal`, { action: 'stop' });
    kid.observe({ ...exited(), reason: 'stopped' });
    await expect.poll(async () => (await treeOf(root.session.id)).nodes[1]?.reason).toBe('stopped');
    await fireAlarm(root.stub);
    expect(await fromChildren(root.node.id)).toEqual([]);
  });
});

describe('[TALK3] what a parent has read is not told', () => {
  it.each([
    ['by a list', (root: Root) => root.ask('children')],
    ['by its messages', (root: Root, id: string) => root.ask(`children/${id}/messages`)],
    ['by a wait', (root: Root) => waitAs(root)],
  ])('%s', async (_, read) => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    // The parent reads before the session can tell it.
    const broken = breakMethod(ThreadObject.prototype, 'result');
    await kid.say({ type: 'done', summary: 'dug' });
    await expect.poll(() => broken.calls.length).toBeGreaterThan(0);
    await read(root, id);
    // One more try may be on its way, from before it read: it fails too.
    await fireAlarm(root.stub);
    vi.restoreAllMocks();
    await fireAlarm(root.stub);
    expect(await fromChildren(root.node.id)).toEqual([]);
    // The next end is told.
    await message(id, 'again');
    await kid.say({ type: 'done', summary: 'dug again' });
    await expect.poll(() => fromChildren(root.node.id)).toHaveLength(1);
  });
});

describe('[TALK1] [TALK3] an answer that does not reach the parent', () => {
  it.each([
    ['to a wait', 'children/wait', {}],
    ['to a list', 'children', undefined],
  ])('is no message read: %s', async (_, path, body) => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    const asked = body && askAndLeave(root.me, path, body);
    const broken = breakMethod(ThreadObject.prototype, 'result');
    await kid.say({ type: 'done', summary: 'dug' });
    if (asked) await asked;
    else {
      await expect.poll(() => broken.calls.length).toBeGreaterThan(0);
      await askAndLeave(root.me, path);
    }
    vi.restoreAllMocks();
    // What is kept in memory of the answer is lost with its object.
    await abortAllDurableObjects();
    await fireAlarm(root.stub);
    await expect.poll(() => fromChildren(root.node.id)).toHaveLength(1);
  });
});

describe('[TALK13] a child that a person took away', () => {
  it.each([
    ['deleted', (path: string) => asOwner(204, 'DELETE', path)],
    ['moved away', (path: string) => asOwner(200, 'PATCH', path, { parentId: null })],
  ])('wakes the parent that counts on its result, once: %s', async (how, take) => {
    const root = await newRoot();
    const { id } = await spawn(root);
    await work(root.runner, id);
    await root.link.say({ type: 'done' });
    root.link.observe(exited());
    await take(`/api/session/${root.session.id}/node/${id}`);
    const order = await root.runner.order(root.node.id);
    expect(order).toMatchObject({
      kind: 'start',
      epoch: 2,
      task: expect.stringContaining(`Your child kid was ${how} by a person`),
    });
    await fireAlarm(root.stub);
    expect(await fromChildren(root.node.id)).toHaveLength(1);
    expect(await root.ask(`children/${id}/messages`)).toMatchObject({
      error: { code: 'not_found', message: expect.stringContaining(how) },
    });
  });
});

describe('[TALK4] a spawn by the API', () => {
  it('gives one child for a key, with its task as a message and a block for the parent', async () => {
    const root = await newRoot();
    const child = await spawn(root);
    expect(child).toMatchObject({ name: 'kid', agentType: 'shelley', works: true, result: null });
    expect(await spawn(root)).toMatchObject({ id: child.id });
    const other = await spawn(root, { key: 'k2', budget: { tokens: 5, usd: null } });
    const { nodes } = await treeOf(root.session.id);
    expect(nodes.map(({ id, parentId }) => [id, parentId])).toEqual([
      [root.node.id, null],
      [child.id, root.node.id],
      [other.id, root.node.id],
    ]);
    expect(nodes[2]?.budget).toEqual({ tokens: 5, usd: null });
    expect((await logOf(child.id))[0]).toMatchObject({
      source: 'parent',
      body: { type: 'message', from: 'parent', content: 'dig' },
    });
    const spawned = (await logOf(root.node.id)).filter(
      ({ body }) => Reflect.get(Object(body), 'type') === 'spawned',
    );
    expect(spawned.map(({ body }) => body)).toMatchObject([
      { node: child.id, name: 'kid', agent: 'shelley', task: 'dig' },
      { node: other.id, name: 'kid' },
    ]);
  });

  it('is refused in words: an unknown agent, a network beyond its parent’s, a stopped parent', async () => {
    const root = await newRoot({
      config: { network: { policy: 'allowlist', allow: ['a.example'] } },
    });
    expect(await root.ask('children', { ...wish, agent: 'nobody' })).toMatchObject({
      error: { message: expect.stringContaining('no agent type nobody') },
    });
    for (const network of [{ policy: 'open' }, { policy: 'allowlist', allow: ['b.example'] }]) {
      expect(await root.ask('children', { ...wish, network })).toMatchObject({
        error: {
          code: 'conflict',
          message: expect.stringContaining("would reach more than its parent's"),
        },
      });
    }
    const narrow = { policy: 'allowlist', allow: ['a.example'] };
    await spawn(root, { key: 'narrow', network: narrow });
    const { nodes } = await treeOf(root.session.id);
    expect(nodes.map(({ config }) => config.network)).toEqual([narrow, narrow]);
    await asOwner(202, 'POST', `/api/thread/${root.node.id}/signal`, { action: 'stop' });
    expect(await root.ask('children', { ...wish, key: 'late' })).toMatchObject({
      error: { message: expect.stringContaining('its parent is stopped') },
    });
  });
});

describe('[TALK5] a wait', () => {
  it('is answered when none of the children works, with their last words, and nothing is told beside', async () => {
    const root = await newRoot();
    const a = await spawn(root);
    const b = await spawn(root, { key: 'k2', name: 'other' });
    const [first, second] = [await work(root.runner, a.id), await work(root.runner, b.id)];
    const waited = waitAs(root, { children: [a.id, b.id] });
    // Answered after the wait before it has begun.
    await waitAs(root, { seconds: 0 });
    await first.say({ type: 'done', summary: 'one' });
    await second.say({ type: 'status', state: 'error', reason: 'no' });
    expect(await waited).toMatchObject([
      { id: a.id, status: 'done', works: false, result: { outcome: 'completed', words: 'one' } },
      { id: b.id, status: 'error', reason: 'no', works: false, result: { outcome: 'error' } },
    ]);
    await fireAlarm(root.stub);
    expect(await fromChildren(root.node.id)).toEqual([]);
  });

  it('ends after its time, and at once where nothing works', async () => {
    const root = await newRoot();
    expect(await waitAs(root)).toEqual([]);
    const { id } = await spawn(root);
    expect(await waitAs(root, { seconds: 0 })).toMatchObject([{ id, works: true }]);
    const idle = await newNode(root.session.id, { parentId: root.node.id });
    expect(await waitAs(root, { children: [idle.id] })).toMatchObject([{ works: false }]);
  });

  it('sees what was just said to a child', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    await kid.say({ type: 'done', summary: 'one' });
    await waitAs(root);
    expect(await root.ask(`children/${id}/messages`, { content: 'more', key: 'm1' })).toEqual(
      await root.ask(`children/${id}/messages`, { content: 'more', key: 'm1' }),
    );
    const waited = waitAs(root);
    await kid.say({ type: 'done', summary: 'two' });
    expect(await waited).toMatchObject([{ result: { words: 'two' } }]);
    expect((await logOf(id)).filter(({ source }) => source === 'parent')).toHaveLength(2);
  });
});

describe('[TALK6] an agent', () => {
  it('stops a child with everything below it, and knows of it', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    const stopped = root.ask(`children/${id}/stop`, {});
    expect(await root.runner.order(id)).toMatchObject({ kind: 'stop' });
    kid.observe({ ...exited(), reason: 'stopped' });
    expect(await stopped).toMatchObject({
      children: [{ id, reason: 'stopped', works: false, result: { outcome: 'stopped' } }],
    });
    await fireAlarm(root.stub);
    expect(await fromChildren(root.node.id)).toEqual([]);
    expect(await root.ask(`children/${id}/messages`, { content: 'go on' })).toMatchObject({
      error: { message: expect.stringContaining('only a person can let it go on') },
    });
  });

  it('reaches its direct children only', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const below = await newNode(root.session.id, { parentId: id });
    for (const other of [root.node.id, below.id]) {
      for (const path of [`children/${other}/messages`, `children/${other}/stop`]) {
        expect((await askAs(root.me, path, { content: 'x' })).status).toBe(404);
      }
      expect((await askAs(root.me, 'children/wait', { children: [other] })).status).toBe(404);
    }
  });
});

describe('[TALK8] the log of a parent has its children as they are', () => {
  const workersOf = async (thread: ThreadId) =>
    (await logOf(thread)).filter(({ body }) => Reflect.get(Object(body), 'type') === 'workers');

  it('told by the system when a name or a status changes, each once', async () => {
    const root = await newRoot();
    const { id } = await spawn(root);
    const kid = await work(root.runner, id);
    const last = async () => (await workersOf(root.node.id)).at(-1)?.body;
    await expect.poll(last).toMatchObject({ workers: [{ id, name: 'kid', status: 'running' }] });
    await kid.say({ type: 'status', state: 'running', reason: 'digs' });
    await kid.say({ type: 'done' });
    await expect.poll(last).toMatchObject({ workers: [{ status: 'done' }] });
    const path = `/api/session/${root.session.id}/node/${id}`;
    await asOwner(200, 'PATCH', path, { name: 'digger' });
    await expect.poll(last).toMatchObject({ workers: [{ name: 'digger', status: 'done' }] });
    const before = await workersOf(root.node.id);
    await evictDurableObject(root.stub);
    await fireAlarm(root.stub);
    expect(await workersOf(root.node.id)).toEqual(before);
    const told = before.map(({ source, body }) => {
      const { workers } = z
        .object({ workers: z.array(z.record(z.string(), z.unknown())) })
        .parse(body);
      return [source, JSON.stringify(workers)].join(' ');
    });
    expect(new Set(told).size).toBe(told.length);
    await asOwner(204, 'DELETE', path);
    await expect.poll(last).toMatchObject({ workers: [] });
  });
});
