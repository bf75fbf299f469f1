import { abortAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RunnerObject } from '../../src/runner/runner-object.ts';
import { SessionObject } from '../../src/session/session-object.ts';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import { ask, message, newAgent, newNode, treeOf } from './support/api.ts';
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
      await fireAlarm(stub);
      expect(await alarmsOf(stub)).toEqual(['outbox']);
      const at = await inStorage(stub, (storage) => storage.getAlarm());
      expect(at).toBeGreaterThan(Date.now());
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
