import { abortAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RunnerObject } from '../../src/runner/runner-object.ts';
import { SessionObject } from '../../src/session/session-object.ts';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import type { ThreadId } from '@filepath/protocol';
import { z } from 'zod';
import { newRoot, work } from './support/agents.ts';
import { ask, logOf, message, newAgent, newNode, treeOf } from './support/api.ts';
import { alarmsOf, breakMethod, fireAlarm, inStorage } from './support/faults.ts';
import { TestRunner } from './support/runner.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('what a thread has to tell', () => {
  it('is told by the alarm when it could not be told at once', async () => {
    const { node } = await newAgent();
    const order = breakMethod(RunnerObject.prototype, 'order');
    await message(node.id);
    await expect.poll(() => order.calls.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await abortAllDurableObjects();
    vi.restoreAllMocks();
    const stub = env.THREAD.getByName(node.id);
    expect(await alarmsOf(stub)).toEqual(['outbox']);
    await fireAlarm(stub);
    const runner = await TestRunner.connect();
    expect(await runner.order(node.id)).toMatchObject({ kind: 'start', epoch: 1 });
    expect(await alarmsOf(stub)).toEqual([]);
  });

  it('[F8] is tried again however often it fails, later each time', async () => {
    const { session, node } = await newAgent();
    const stub = env.THREAD.getByName(node.id);
    breakMethod(SessionObject.prototype, 'note');
    await message(node.id);
    for (let times = 1; times <= 7; times += 1) {
      const before = Date.now();
      await fireAlarm(stub);
      expect(await alarmsOf(stub)).toEqual(['outbox']);
      const at = await inStorage(stub, (storage) => storage.getAlarm());
      expect(at).toBeGreaterThan(before);
    }
    vi.restoreAllMocks();
    await fireAlarm(stub);
    const [shown] = (await treeOf(session.id)).nodes;
    expect(shown).toMatchObject({ id: node.id, reason: 'queued' });
    expect(await alarmsOf(stub)).toEqual([]);
  });

  it('arrives in order, the newest status last', async () => {
    const { session, node } = await newAgent();
    breakMethod(SessionObject.prototype, 'note');
    await message(node.id);
    await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'stop' });
    vi.restoreAllMocks();
    await fireAlarm(env.THREAD.getByName(node.id));
    const [shown] = (await treeOf(session.id)).nodes;
    expect(shown).toMatchObject({ status: 'idle', reason: 'stopped' });
  });
});

it('[F8] a tree whose session was out of reach for seven alarms of every thread ends as if it never was', async () => {
  const root = await newRoot();
  const { session, runner } = root;
  const spawned = z.object({ child: z.object({ id: z.custom<ThreadId>() }) });
  const kids = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const wish = { key: name, name, task: 'dig' };
      const { id } = spawned.parse(await root.ask('children', wish)).child;
      return { id, link: await work(runner, id) };
    }),
  );
  const [first] = kids;
  if (!first) throw new Error('no child');
  const spawn = { type: 'spawn', name: 'below', agent: 'shelley', model: '', task: 'dig deeper' };
  await first.link.say(spawn);
  const nodes = async () => (await treeOf(session.id)).nodes;
  await expect.poll(nodes).toHaveLength(4);
  const below = (await nodes()).find(({ name }) => name === 'below')?.id ?? first.id;
  const all = [{ id: below, link: await work(runner, below) }, ...kids];

  breakMethod(SessionObject.prototype, 'note');
  for (const { link } of all) await link.say({ type: 'done', summary: 'dug' });
  for (let times = 1; times <= 7; times += 1) {
    for (const { id } of all) {
      await fireAlarm(env.THREAD.getByName(id));
      expect(await alarmsOf(env.THREAD.getByName(id))).toEqual(['outbox']);
    }
  }
  expect((await nodes()).map(({ status }) => status)).not.toContain('done');
  vi.restoreAllMocks();
  for (const { id } of all) await fireAlarm(env.THREAD.getByName(id));
  await fireAlarm(root.stub);
  const told = async (id: ThreadId) =>
    (await logOf(id)).filter(({ body }) => Reflect.get(Object(body), 'from') === 'child').length;
  await expect.poll(() => told(root.node.id)).toBe(2);
  expect(await told(first.id)).toBe(1);
  const top = (await nodes()).find(({ id }) => id === root.node.id);
  // The first is told of the end below it, and works again.
  expect(top).toMatchObject({ done: 2, total: 2 });
  for (const { id } of all) expect(await alarmsOf(env.THREAD.getByName(id))).toEqual([]);
});

describe('what a session has to do', () => {
  it('is done for all nodes but the one that fails, and for that one later', async () => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const other = await newNode(session.id);
    for (const { id } of [node, other]) {
      await message(id);
      expect(await runner.order(id)).toMatchObject({ kind: 'start' });
    }
    breakMethod(ThreadObject.prototype, 'signal', (name) => name === node.id);
    await ask(500, 'POST', `/api/session/${session.id}/signal`, { action: 'stop' });
    expect(await runner.order(other.id)).toMatchObject({ kind: 'stop' });
    vi.restoreAllMocks();
    await fireAlarm(env.SESSION.getByName(session.id));
    expect(await runner.order(node.id)).toMatchObject({ kind: 'stop' });
  });

  it('brings a new configuration to the agent, later if not at once', async () => {
    const { session, node } = await newAgent();
    breakMethod(ThreadObject.prototype, 'configure');
    const config = { command: ['false'] };
    await ask(500, 'PATCH', `/api/session/${session.id}/node/${node.id}`, { config });
    vi.restoreAllMocks();
    await fireAlarm(env.SESSION.getByName(session.id));
    const runner = await TestRunner.connect();
    await message(node.id);
    expect(await runner.order(node.id)).toMatchObject({ kind: 'start', config });
  });

  it('[F8] keeps its alarm while the index is out of reach', async () => {
    const { session, node } = await newAgent();
    const stub = env.SESSION.getByName(session.id);
    await env.DB.prepare('ALTER TABLE agent_node RENAME TO agent_node_away').run();
    await ask(200, 'PATCH', `/api/session/${session.id}`, { name: 'new' });
    await fireAlarm(stub);
    expect(await alarmsOf(stub)).toEqual(['index']);
    await env.DB.prepare('ALTER TABLE agent_node_away RENAME TO agent_node').run();
    await fireAlarm(stub);
    const query = 'SELECT name FROM agent_session WHERE id = ?';
    expect(await env.DB.prepare(query).bind(session.id).first('name')).toBe('new');
    expect(await alarmsOf(stub)).toEqual([]);
    expect((await treeOf(session.id)).nodes.map((one) => one.id)).toEqual([node.id]);
  });
});
