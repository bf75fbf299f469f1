import { env } from 'cloudflare:workers';
import { AttentionChange, AttentionItem, type SessionId, type ThreadId } from '@filepath/protocol';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { nodeHashing } from '../../src/thread/node-hashing.ts';
import { ask, logOf, message, newAgent, newNode, treeOf } from './support/api.ts';
import { callerOf } from './support/calls.ts';
import { fireAlarm } from './support/faults.ts';
import { exited, TestLink, TestRunner } from './support/runner.ts';

/** The budget of a user holds for all tests of this file: each gives it back. */
afterEach(() => ask(200, 'PUT', '/api/budget', { budget: { tokens: null, usd: null } }));

const TIGHT = { tokens: null, usd: 0.001 };

async function itemsOf(thread: string): Promise<AttentionItem[]> {
  const answer = await ask(200, 'GET', '/api/attention');
  const { items } = z.object({ items: z.array(AttentionItem) }).parse(answer);
  return items.filter((item) => item.thread === thread);
}

/** Whether it ever waited as failed, though it does not any more. */
async function waitedAsFailed(thread: string): Promise<boolean> {
  const page = await ask(200, 'GET', '/api/attention/events?after=0&limit=1000');
  const { events } = z.object({ events: z.array(AttentionChange) }).parse(page);
  const id = nodeHashing.sha256(`${thread} failure`).slice(0, 32);
  return events.some(
    (one) => (one.type === 'item' ? one.item.id : one.type === 'gone' && one.id) === id,
  );
}

async function settled(session: string): Promise<void> {
  await fireAlarm(env.SESSION.getByName(session));
  await fireAlarm(env.SESSION.getByName(session));
}

/** An agent that was refused a call. */
async function refused(runner: TestRunner, session: SessionId, node: ThreadId) {
  const caller = await callerOf(runner, session, node);
  const link = await TestLink.open(node, 1, 1);
  await link.started();
  expect(await caller.session.reserve(caller.ask())).toMatchObject({ code: 'budget' });
  return { link, caller };
}

const fails = (link: TestLink) =>
  link.say({ type: 'status', state: 'error', reason: 'the budget is used up' });

/** What it was told to go on with. A root has it from a person. */
const tasks = async (thread: ThreadId): Promise<string[]> =>
  (await logOf(thread)).flatMap(({ source, body }) => {
    const content: unknown = Reflect.get(Object(body), 'content');
    const told = source === 'user' || source === 'parent';
    return told && String(content).startsWith('Your last run ended') ? [String(content)] : [];
  });

it.each(['node', 'session', 'user'] as const)(
  '[ATT8] raising a budget of the scope %s lets all that failed for want of it go on, by one answer',
  async (of) => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const child = await newNode(session.id, { parentId: node.id });
    const put = of === 'user' ? '/api/budget' : `/api/session/${session.id}/budget`;
    if (of === 'node') {
      await ask(200, 'PUT', `/api/session/${session.id}/node/${node.id}/budget`, { budget: TIGHT });
    } else await ask(200, 'PUT', put, { budget: TIGHT });
    const links = [
      await refused(runner, session.id, node.id),
      await refused(runner, session.id, child.id),
    ];
    for (const { link } of links) await fails(link);
    await expect
      .poll(async () => (await treeOf(session.id)).nodes)
      .toMatchObject([{ status: 'error' }, { status: 'error' }]);
    await settled(session.id);
    for (const { id } of [node, child]) {
      await expect.poll(() => itemsOf(id)).toMatchObject([{ kind: 'budget' }]);
    }
    const [item] = await itemsOf(node.id);
    const input = { of, budget: { tokens: null, usd: 1 } };
    await ask(202, 'POST', `/api/attention/${item?.id}`, { choice: 'raise', input });
    for (const { id } of [node, child]) {
      await expect.poll(() => tasks(id)).toEqual([expect.stringContaining('has been raised')]);
      await expect.poll(() => itemsOf(id)).toEqual([]);
    }
    await expect
      .poll(async () => (await treeOf(session.id)).nodes)
      .toMatchObject([{ status: 'running' }, { status: 'running' }]);
    await settled(session.id);
    for (const { id } of [node, child]) expect(await waitedAsFailed(id)).toBe(false);
  },
);

it('[ATT8] a budget that is set elsewhere starts nothing', async () => {
  const runner = await TestRunner.connect();
  const { session, node } = await newAgent();
  const path = `/api/session/${session.id}/node/${node.id}/budget`;
  await ask(200, 'PUT', path, { budget: TIGHT });
  await fails((await refused(runner, session.id, node.id)).link);
  await ask(200, 'PUT', path, { budget: { tokens: null, usd: 1 } });
  await settled(session.id);
  await expect.poll(() => itemsOf(node.id)).toMatchObject([{ kind: 'failure' }]);
  expect(await tasks(node.id)).toEqual([]);
});

it.each(['works', 'failed'])(
  '[ATT8] an agent without budget that %s waits no more when it is stopped, until it is refused again',
  async (how) => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const path = `/api/session/${session.id}/node/${node.id}/budget`;
    await ask(200, 'PUT', path, { budget: TIGHT });
    const { link, caller } = await refused(runner, session.id, node.id);
    if (how === 'failed') {
      await fails(link);
      link.observe(exited());
      await link.socket.until('over');
    }
    await settled(session.id);
    await expect.poll(() => itemsOf(node.id)).toMatchObject([{ kind: 'budget' }]);
    const [item] = await itemsOf(node.id);
    await ask(202, 'POST', `/api/attention/${item?.id}`, { choice: 'stop' });
    if (how === 'works') {
      link.observe({ ...exited(), reason: 'stopped' });
      await link.socket.until('over');
    }
    await settled(session.id);
    expect(await itemsOf(node.id)).toEqual([]);
    expect(await treeOf(session.id)).toMatchObject({ nodes: [{ blocked: null }] });

    await message(node.id, 'again');
    await expect.poll(async () => (await treeOf(session.id)).nodes[0]?.reason).toBe('queued');
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ code: 'budget' });
    await settled(session.id);
    await expect.poll(() => itemsOf(node.id)).toMatchObject([{ kind: 'budget', id: item?.id }]);
  },
);

it.each(['node', 'own', 'session', 'user'] as const)(
  '[ATT3] a budget of the scope %s is raised by an answer to what waits',
  async (of) => {
    const runner = await TestRunner.connect();
    const { session, node } = await newAgent();
    const caller = await callerOf(runner, session.id, node.id);
    const tight = { tokens: null, usd: 0.001 };
    const ofNode = `/api/session/${session.id}/node/${node.id}/budget`;
    const path =
      of === 'user'
        ? '/api/budget'
        : of === 'session'
          ? `/api/session/${session.id}/budget`
          : ofNode;
    await ask(200, 'PUT', path, of === 'own' ? { own: tight } : { budget: tight });
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ code: 'budget' });
    await fireAlarm(env.SESSION.getByName(session.id));
    await fireAlarm(env.SESSION.getByName(session.id));
    const items = async () =>
      z
        .object({ items: z.array(AttentionItem) })
        .parse(await ask(200, 'GET', '/api/attention'))
        .items.filter(({ thread }) => thread === node.id);
    await expect
      .poll(items)
      .toMatchObject([{ kind: 'budget', choices: ['raise', 'stop'], thread: node.id }]);
    const answer = `/api/attention/${(await items())[0]?.id}`;
    const refused = await ask(400, 'POST', answer, { choice: 'raise', input: { budget: 5 } });
    expect(JSON.stringify(refused)).toContain('input.budget');
    expect(await items(), 'what could not be carried out waits on').toHaveLength(1);
    const budget = { tokens: null, usd: 1 };
    const input = of === 'node' ? { budget } : { of, budget };
    await ask(202, 'POST', answer, { choice: 'raise', input });
    expect(await items()).toEqual([]);
    expect(await ask(200, 'GET', path)).toMatchObject(
      of === 'own' ? { own: { budget } } : { budget },
    );
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ ok: true });
  },
);
