import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import {
  CatalogItem,
  type LogEvent,
  newThreadId,
  type Node,
  type NodeCreate,
  type ThreadId,
} from '@filepath/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { USUAL_CAPS as CAPS } from '../../src/session/caps.ts';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import { ask, logOf, message, newNode, newSession, treeOf } from './support/api.ts';
import { alarmsOf, breakMethod, fireAlarm, inStorage } from './support/faults.ts';
import { TestLink, TestRunner } from './support/runner.ts';

const spawn = { type: 'spawn', name: 'kid', agent: 'custom', model: 'none', task: 'dig' };

async function talking(create: Partial<NodeCreate> = {}) {
  const session = await newSession();
  const node = await newNode(session.id, create);
  await message(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  return { session, node, link, stub: env.SESSION.getByName(session.id) };
}

const bodies = (events: readonly LogEvent[], source: string) =>
  events.filter((event) => event.source === source).map((event) => event.body);

/** What became of its spawns; messages that tell the agent, and how its children are, are left out. */
const systemOf = async (thread: ThreadId) =>
  bodies(await logOf(thread), 'system').filter(
    (body) => !['message', 'workers'].includes(String(Object(body).type)),
  );

/** The nodes below this one, once its log says how each of its spawns went. */
async function childrenOf(session: string, node: Node, spawns = 1): Promise<Node[]> {
  await expect.poll(() => systemOf(node.id), { timeout: 25_000 }).toHaveLength(spawns);
  return (await treeOf(session)).nodes.filter((one) => one.parentId === node.id);
}

const isNamed = (meta: unknown, name: string) => Reflect.get(Object(meta), 'name') === name;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('[TREE2] a spawn event', () => {
  it('[TREE4] gives one child, with its task as a message and its parent’s command', async () => {
    const runner = await TestRunner.connect();
    const { session, node, link } = await talking();
    await link.say(spawn);
    const [child, ...more] = await childrenOf(session.id, node);
    expect(more).toEqual([]);
    expect(child).toMatchObject({ name: 'kid', parentId: node.id, config: node.config });
    const id = child?.id ?? node.id;
    expect(await systemOf(node.id)).toEqual([{ type: 'spawned', spawn: 3, node: id, name: 'kid' }]);
    const { slug } = node;
    const parent = { thread: node.id, slug };
    expect(await runner.order(id)).toMatchObject({ kind: 'start', epoch: 1, task: 'dig', parent });
    expect(bodies(await logOf(id), 'parent')).toEqual([
      { type: 'message', from: 'parent', content: 'dig' },
    ]);
  });

  it('[TREE4] a child of an agent in a container runs in the same image', async () => {
    const runner = await TestRunner.connect();
    const config = { image: 'debian:13', envVars: { A: 'b' } };
    const { session, node, link } = await talking({ config });
    await link.say(spawn);
    const [child] = await childrenOf(session.id, node);
    expect(await runner.order(child?.id ?? node.id)).toMatchObject({ kind: 'start', config });
  });

  it('gives no second child when it is delivered again', async () => {
    const { session, node, link, stub } = await talking();
    await link.say(spawn);
    const [child] = await childrenOf(session.id, node);
    const { name, agent, model, task } = spawn;
    const note = { seq: 3, name, agent, model, task };
    await Promise.all([1, 2, 3].map(() => stub.note(node.id, { kind: 'spawn', note })));
    await evictDurableObject(stub);
    await stub.note(node.id, { kind: 'spawn', note });
    await fireAlarm(stub);
    expect(await childrenOf(session.id, node)).toEqual([child]);
    expect(await logOf(child?.id ?? node.id)).toHaveLength(1);
  });

  it('[F9] is carried out by the alarm when the session was lost after the intent', async () => {
    const { session, node, link, stub } = await talking();
    const init = breakMethod(ThreadObject.prototype, 'init');
    await link.say(spawn);
    await expect.poll(() => init.calls.length, { timeout: 10_000 }).toBeGreaterThan(0);
    const [intent] = (await treeOf(session.id)).nodes.filter((one) => one.parentId === node.id);
    expect(intent).toBeDefined();
    await abortAllDurableObjects();
    vi.restoreAllMocks();
    await fireAlarm(stub);
    const [child, ...more] = await childrenOf(session.id, node);
    expect([child?.id, more]).toEqual([intent?.id, []]);
    expect(bodies(await logOf(intent?.id ?? node.id), 'parent')).toHaveLength(1);
  });

  it('[F9] keeps its alarm though it came while another was carried out', async () => {
    const { session, node, link, stub } = await talking();
    breakMethod(ThreadObject.prototype, 'init', (_, [meta]) => isNamed(meta, 'second'));
    // Without a task, so that nothing but the spawns themselves keeps the session busy.
    const { task: _, ...idle } = spawn;
    await link.say(idle, { ...idle, name: 'second' });
    await childrenOf(session.id, node, 1);
    await abortAllDurableObjects();
    expect(await alarmsOf(stub)).toContain('work');
    vi.restoreAllMocks();
    await fireAlarm(stub);
    expect(await childrenOf(session.id, node, 2)).toHaveLength(2);
  });

  it('fails with its reason when it is too large, and holds up nothing', async () => {
    const { session, node, link } = await talking();
    const long = 'x'.repeat(900_000);
    await link.say({ ...spawn, task: long });
    await link.say({ ...spawn, agent: long, name: long });
    await link.say(spawn);
    expect((await childrenOf(session.id, node, 3)).map((child) => child.name)).toEqual(['kid']);
    expect(await systemOf(node.id)).toMatchObject([
      { type: 'spawn_failed', reason: expect.stringContaining('its task is longer than') },
      { type: 'spawn_failed', reason: expect.stringContaining('no agent type') },
      { type: 'spawned' },
    ]);
    await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'stop' });
    await link.say({ ...spawn, name: long });
    expect(await systemOf(node.id)).toHaveLength(4);
  });

  it('fails for good, with the reason in the parent’s log, when there is no such agent', async () => {
    const { session, node, link } = await talking();
    await link.say({ ...spawn, agent: 'nobody' });
    expect(await childrenOf(session.id, node, 1)).toEqual([]);
    expect(await systemOf(node.id)).toMatchObject([
      { type: 'spawn_failed', spawn: 3, reason: expect.stringContaining('no agent type nobody') },
    ]);
  });

  it('[CAT4] may be of any type of the catalog, with the model it names or that of the type', async () => {
    const { session, node, link } = await talking();
    await link.say(
      { ...spawn, agent: 'codex', model: '' },
      { ...spawn, agent: 'shelley', model: 'some/model' },
      { ...spawn, agent: 'pi', model: '' },
    );
    const children = await childrenOf(session.id, node, 3);
    const { agents } = z
      .object({ agents: z.array(CatalogItem) })
      .parse(await ask(200, 'GET', '/api/catalog'));
    const own = (type: string) => agents.find((agent) => agent.type === type)?.defaultModel;
    expect(children.map(({ agentType, model, config }) => [agentType, model, config])).toEqual([
      ['codex', own('codex'), {}],
      ['shelley', 'some/model', {}],
      ['pi', own('pi'), {}],
    ]);
  });

  it('[CAT4] that is custom runs what its parent runs, and is refused under a parent that is not', async () => {
    const { session, node, link } = await talking({ agentType: 'shelley', config: {} });
    await link.say({ ...spawn, agent: 'custom' });
    expect(await childrenOf(session.id, node, 1)).toEqual([]);
    expect(await systemOf(node.id)).toMatchObject([
      { type: 'spawn_failed', reason: expect.stringContaining('runs what its parent runs') },
    ]);
  });
});

describe('[TREE3] the caps', () => {
  it('on depth hold for the API and for a spawn', async () => {
    const session = await newSession();
    let node = await newNode(session.id);
    for (let depth = 2; depth <= CAPS.depth; depth += 1) {
      node = await newNode(session.id, { parentId: node.id });
    }
    const body = { agentType: 'custom', config: { command: ['true'] }, parentId: node.id };
    const refused = await ask(409, 'POST', `/api/session/${session.id}/node`, body);
    expect(refused).toMatchObject({ error: { code: 'cap_reached' } });
    await message(node.id);
    const link = await TestLink.open(node.id, 1, 1);
    await link.say(spawn);
    expect(await childrenOf(session.id, node)).toEqual([]);
    expect(await systemOf(node.id)).toMatchObject([
      {
        type: 'spawn_failed',
        reason: expect.stringContaining(`at most ${CAPS.depth} levels deep`),
      },
    ]);
  });

  it('on number end a fork bomb', async () => {
    const { session, node, link, stub } = await talking();
    await inStorage(stub, ({ sql }) => {
      const row = sql.exec('SELECT * FROM nodes').one();
      const places = Object.keys(row).map(() => '?');
      for (let n = 0; n < CAPS.agents - 4; n += 1) {
        const twin = { ...row, id: newThreadId(), open: 0 };
        sql.exec(`INSERT INTO nodes VALUES (${places.join(', ')})`, ...Object.values(twin));
      }
    });
    await link.say(...Array.from({ length: 10 }, () => spawn));
    expect(await childrenOf(session.id, node, 10)).toHaveLength(3);
    const failed = (await systemOf(node.id)).filter(
      (body) => (body as { type: string }).type === 'spawn_failed',
    );
    expect(failed).toHaveLength(7);
  });
});

describe('[TREE7] stopping', () => {
  it('a node stops its subtree, and nothing beside it', async () => {
    const runner = await TestRunner.connect();
    const { session, node } = await talking();
    const child = await newNode(session.id, { parentId: node.id });
    const beside = await newNode(session.id);
    for (const one of [child, beside]) await message(one.id);
    await runner.order(beside.id);
    await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'stop' });
    expect(await runner.order(node.id)).toMatchObject({ kind: 'stop', epoch: 1 });
    expect(await runner.order(child.id)).toMatchObject({ kind: 'stop', epoch: 1 });
    expect(bodies(await logOf(beside.id), 'user')).toHaveLength(1);
  });

  it('[F10] lets nothing be spawned until a person speaks again', async () => {
    const { session, node, link } = await talking();
    await ask(202, 'POST', `/api/session/${session.id}/signal`, { action: 'stop' });
    await link.say(spawn);
    expect(await childrenOf(session.id, node)).toEqual([]);
    expect(await systemOf(node.id)).toMatchObject([{ type: 'spawn_failed', name: 'kid' }]);
  });

  it('[F10] refuses a spawn that was on its way when the stop came', async () => {
    const { session, node, link, stub } = await talking();
    const { name, agent, model, task } = spawn;
    await ask(202, 'POST', `/api/session/${session.id}/signal`, { action: 'stop' });
    // Said before the stop, delivered after it.
    await stub.note(node.id, { kind: 'spawn', note: { seq: 2, name, agent, model, task } });
    expect(await childrenOf(session.id, node)).toEqual([]);
    expect(link.socket.waiting).toBeGreaterThan(0);
    expect((await treeOf(session.id)).session.status).toBe('running');
  });
});
