import {
  AttentionItem,
  type JobId,
  type JobOrder,
  type Order,
  type ThreadId,
} from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ask, call, custom, logOf, message, newNode, RUNNER, treeOf } from './support/api.ts';
import { exited, TestLink, TestRunner, text } from './support/runner.ts';

const hash = (letter: string): string => letter.repeat(40);
const Created = z.object({
  session: z.object({ id: z.string() }),
  node: z.object({ id: z.custom<ThreadId>() }),
});

/** A root and a child of it that have both been started. */
async function family(runner: TestRunner) {
  const create = { gitRepoUrl: 'https://git.invalid/a/b.git', root: { ...custom, name: 'lead' } };
  const { session, node } = Created.parse(await ask(201, 'POST', '/api/session', create));
  const child = await newNode(session.id, { name: 'helper', parentId: node.id });
  const keys: string[] = [];
  for (const id of [node.id, child.id]) {
    await message(id);
    const order = await runner.order(id);
    keys.push(order.kind === 'start' ? order.apiKey : '');
  }
  return { session: session.id, lead: node.id, helper: child.id, key: keys[0] ?? '' };
}

const isJob = (order: Order): order is JobOrder => order.kind === 'job';

async function jobOf(runner: TestRunner, thread: ThreadId): Promise<JobOrder> {
  const order = await runner.order(thread);
  if (!isJob(order)) throw new Error(`expected a job: ${JSON.stringify(order)}`);
  return order;
}

const about = (job: JobId, node: ThreadId) => ({
  job,
  node,
  name: 'helper',
  into: 'parent',
  target: 'lead',
  from: hash('1'),
});

it('[DIFF6] changes are asked of the runner, redacted, and refused in time where none answers', async () => {
  const runner = await TestRunner.connect();
  const { helper } = await family(runner);
  const file = {
    path: 'a',
    status: 'modified',
    additions: 1,
    deletions: 0,
    binary: false,
    committed: true,
    uncommitted: false,
    hunks: [{ from: [1, 0], to: [1, 1], text: '+owner-token-for-tests\n' }],
    truncated: false,
  };
  const changes = {
    base: hash('0'),
    head: hash('1'),
    files: [file],
    truncated: false,
    partial: false,
  };
  const asked = ask(200, 'GET', `/api/node/${helper}/changes?file=a`);
  const frame = z
    .object({ ask: z.int(), question: z.looseObject({}) })
    .parse(await runner.socket.until('ask'));
  expect(frame.question).toMatchObject({ kind: 'changes', thread: helper, file: 'a' });
  runner.socket.send({ t: 'answer', ask: frame.ask, answer: { kind: 'changes', changes } });
  expect(JSON.stringify(await asked)).toContain('+[redacted]');

  const failing = ask(409, 'GET', `/api/node/${helper}/changes`);
  const again = z.object({ ask: z.int() }).parse(await runner.socket.until('ask'));
  runner.socket.send({
    t: 'answer',
    ask: again.ask,
    answer: { kind: 'failed', reason: 'no commit' },
  });
  expect(JSON.stringify(await failing)).toContain('cannot be read: no commit');

  const lost = ask(503, 'GET', `/api/node/${helper}/changes`);
  await runner.socket.until('ask');
  runner.socket.close();
  expect(JSON.stringify(await lost)).toContain('broke off');
  expect(JSON.stringify(await ask(503, 'GET', `/api/node/${helper}/changes`))).toContain(
    'no runner is connected',
  );
});

it('[MERGE14] a merge is ordered with its target, and both threads say how it ended', async () => {
  const runner = await TestRunner.connect();
  const { session, lead, helper } = await family(runner);
  const link = await TestLink.open(lead, 1, 1);
  await link.started();
  await link.say(text('at work'));
  await ask(202, 'POST', `/api/node/${helper}/merge`, { mode: 'merge' });
  const order = await jobOf(runner, helper);
  expect(order.do).toEqual({
    type: 'merge',
    name: 'helper',
    target: { into: 'parent', thread: lead, slug: expect.any(String), name: 'lead', atWork: true },
    mode: 'merge',
    hand: false,
  });
  const merged = { commit: hash('3'), before: hash('2'), how: 'merge', taken: false };
  const result = { type: 'merged', ...about(order.id, helper), ...merged };
  runner.socket.send({ t: 'done', thread: helper, result });
  await runner.socket.until('stored');
  const bodies = async (id: ThreadId) => (await logOf(id)).map(({ body }) => body);
  expect(await bodies(helper)).toContainEqual(result);
  await expect.poll(() => bodies(lead), { timeout: 10_000 }).toContainEqual(result);
  const told = z
    .object({ input: z.object({ line: z.string() }) })
    .parse(await link.socket.until('input'));
  expect(told.input.line).toContain(`git merge ${hash('3')}`);
  await ask(409, 'POST', `/api/node/${lead}/merge`, { into: 'parent' });
  await ask(400, 'POST', `/api/node/${lead}/merge`, { into: 'main' });
  await ask(202, 'POST', `/api/node/${lead}/merge`, { into: 'session' });
  const whole = await jobOf(runner, lead);
  expect(whole.do).toMatchObject({
    target: { into: 'session', branch: expect.stringMatching(/^filepath\//) },
  });
  await ask(202, 'POST', `/api/thread/${lead}/push`, { of: 'session' });
  const push = await jobOf(runner, lead);
  const branch =
    whole.do.type === 'merge' && whole.do.target.into === 'session' ? whole.do.target.branch : '';
  expect(push.do).toMatchObject({ type: 'push', session: branch });
  expect((await treeOf(session)).nodes).toHaveLength(2);
});

it('[MERGE15] a conflict that is handed over becomes a message to the agent', async () => {
  const runner = await TestRunner.connect();
  const { session, helper } = await family(runner);
  await ask(409, 'POST', `/api/node/${helper}/merge/resolve`);
  await ask(202, 'POST', `/api/node/${helper}/merge`, { onConflict: 'agent' });
  const order = await jobOf(runner, helper);
  const conflict = { ours: hash('2'), files: [{ path: 'a', hunks: [] }], truncated: false };
  const result = { type: 'conflict', ...about(order.id, helper), ...conflict, hand: true };
  runner.socket.send({ t: 'done', thread: helper, result });
  await runner.socket.until('stored');
  const tasks = async () =>
    (await logOf(helper)).filter(
      ({ source, body }) =>
        source === 'parent' && JSON.stringify(body).includes(`git merge ${hash('2')}`),
    );
  await expect.poll(tasks, { timeout: 10_000 }).toHaveLength(1);
  const node = (await treeOf(session)).nodes.find(({ id }) => id === helper);
  expect(node?.conflict).toMatchObject({ handed: true, files: ['a'] });
  await ask(202, 'POST', `/api/node/${helper}/merge/resolve`);
  await expect.poll(tasks, { timeout: 10_000 }).toHaveLength(2);
});

it('[MERGE19] a conflict becomes the task of the parent, or of a new agent below it, by the API', async () => {
  const runner = await TestRunner.connect();
  const { session, lead, helper } = await family(runner);
  await ask(202, 'POST', `/api/node/${helper}/merge`, {});
  const order = await jobOf(runner, helper);
  const conflict = { ours: hash('2'), files: [{ path: 'a', hunks: [] }], truncated: false };
  const result = { type: 'conflict', ...about(order.id, helper), ...conflict, hand: false };
  runner.socket.send({ t: 'done', thread: helper, result });
  const nodeNow = async () => (await treeOf(session)).nodes.find(({ id }) => id === helper);
  await expect.poll(async () => (await nodeNow())?.conflict, { timeout: 10_000 }).toBeDefined();
  const path = `/api/node/${helper}/merge/resolve`;
  await ask(400, 'POST', path, { by: 'nobody' });
  expect(await ask(202, 'POST', path, { by: 'parent' })).toEqual({ node: lead });
  const told = async (id: ThreadId) =>
    (await logOf(id)).filter(({ source, body }) => {
      const text = JSON.stringify(body);
      // A root has no parent.
      const from = id === lead ? 'user' : 'parent';
      return source === from && text.includes(`git merge ${hash('2')}\\ngit merge ${hash('1')}`);
    });
  await expect.poll(() => told(lead), { timeout: 10_000 }).toHaveLength(1);
  const { node } = z
    .object({ node: z.custom<ThreadId>() })
    .parse(await ask(202, 'POST', path, { by: 'new' }));
  await expect.poll(() => told(node), { timeout: 10_000 }).toHaveLength(1);
  const made = (await treeOf(session)).nodes.find(({ id }) => id === node);
  expect(made).toMatchObject({ name: 'merge-helper', parentId: lead, agentType: 'custom' });
  expect((await nodeNow())?.conflict).toMatchObject({ handed: true, holder: node });
});

it('[MERGE22] a conflict with a parent ends when the agent moves away, and not with its order', async () => {
  const runner = await TestRunner.connect();
  const { session, lead, helper } = await family(runner);
  await ask(202, 'POST', `/api/node/${helper}/merge`, {});
  const order = await jobOf(runner, helper);
  const conflict = { ours: hash('2'), files: [{ path: 'a', hunks: [] }], truncated: false };
  const result = { type: 'conflict', ...about(order.id, helper), ...conflict, hand: false };
  runner.socket.send({ t: 'done', thread: helper, result });
  const conflictNow = async () =>
    (await treeOf(session)).nodes.find(({ id }) => id === helper)?.conflict;
  await expect.poll(conflictNow, { timeout: 10_000 }).toBeDefined();
  const path = `/api/session/${session}/node/${helper}`;
  await ask(200, 'PATCH', path, { parentId: lead });
  expect(await conflictNow()).toBeDefined();
  await ask(200, 'PATCH', path, { parentId: null });
  expect(await conflictNow()).toBeUndefined();
});

it('[ATT6] a conflict waits for a person, who hands it to the agent, once', async () => {
  const runner = await TestRunner.connect();
  const { session, helper } = await family(runner);
  await ask(202, 'POST', `/api/node/${helper}/merge`, {});
  const order = await jobOf(runner, helper);
  const conflict = { ours: hash('2'), files: [{ path: 'a', hunks: [] }], truncated: false };
  const result = { type: 'conflict', ...about(order.id, helper), ...conflict, hand: false };
  runner.socket.send({ t: 'done', thread: helper, result });
  const items = async () => {
    const answer = await ask(200, 'GET', '/api/attention');
    const all = z.object({ items: z.array(AttentionItem) }).parse(answer).items;
    return all.filter(({ thread }) => thread === helper);
  };
  await expect.poll(items, { timeout: 10_000 }).toMatchObject([
    {
      kind: 'conflict',
      why: 'its work conflicts with lead: a',
      choices: [
        'hand to the agent',
        'hand to its parent',
        'hand to a new agent',
        'merge again',
        'leave it',
      ],
    },
  ]);
  const path = `/api/attention/${(await items())[0]?.id}`;
  await ask(202, 'POST', path, { choice: 'hand to the agent' });
  await ask(409, 'POST', path, { choice: 'hand to the agent' });
  const tasks = async () =>
    (await logOf(helper)).filter(
      ({ source, body }) =>
        source === 'parent' && JSON.stringify(body).includes(`git merge ${hash('2')}`),
    );
  await expect.poll(tasks, { timeout: 10_000 }).toHaveLength(1);
  expect(await items()).toEqual([]);
  const node = (await treeOf(session)).nodes.find(({ id }) => id === helper);
  expect(node?.conflict).toMatchObject({ handed: true });
});

it('[MERGE16] an agent merges its direct children and nobody else, and is answered with the result', async () => {
  const runner = await TestRunner.connect();
  const { lead, helper, key } = await family(runner);
  const asked = (id: ThreadId) =>
    call(`/gateway/agent/children/${id}/merge`, {
      method: 'POST',
      body: {},
      headers: {
        authorization: `Bearer ${key}`,
        'x-filepath-runner-token': RUNNER.authorization.replace('Bearer ', ''),
        'x-filepath-session': key.split('_').slice(1, 3).join('_'),
        'x-filepath-thread': lead,
      },
    });
  expect((await asked(lead)).status).toBe(404);
  const answer = asked(helper);
  const order = await jobOf(runner, helper);
  const merged = { commit: hash('3'), before: hash('2'), how: 'ff', taken: false };
  const result = { type: 'merged', ...about(order.id, helper), ...merged };
  runner.socket.send({ t: 'done', thread: helper, result });
  expect(await (await answer).json()).toEqual({ result });
});

it('[MERGE21] a push is answered with how it ended, where that is waited for', async () => {
  const runner = await TestRunner.connect();
  const { helper } = await family(runner);
  const answer = ask(200, 'POST', `/api/thread/${helper}/push?wait=30`, {});
  const order = await jobOf(runner, helper);
  const pushed = { remote: 'https://git.invalid/a/b.git', branch: 'main', commit: hash('1') };
  const result = { type: 'pushed', job: order.id, ...pushed };
  runner.socket.send({ t: 'done', thread: helper, result });
  expect(await answer).toEqual({ result });
  await ask(400, 'POST', `/api/thread/${helper}/push?wait=3600`, {});
});

it('[MERGE11] what a runner tells of two agents is shown in the tree and in both threads', async () => {
  const runner = await TestRunner.connect();
  const { session, lead, helper } = await family(runner);
  const touched = (to: string) => ({
    head: hash(to),
    dirty: false,
    files: [{ path: 'a', from: hash('0'), to: hash(to), ranges: [[1, 1]] }],
  });
  runner.socket.send({ t: 'touched', thread: lead, touched: touched('1') });
  runner.socket.send({ t: 'touched', thread: helper, touched: touched('2') });
  const overlaps = async () => (await treeOf(session)).nodes.map((node) => node.overlaps);
  await expect
    .poll(overlaps, { timeout: 10_000 })
    .toEqual([[{ node: helper, files: ['a'] }], [{ node: lead, files: ['a'] }]]);
  const events = async () => (await logOf(helper)).map(({ body }) => body);
  await expect
    .poll(events, { timeout: 10_000 })
    .toContainEqual({ type: 'overlap', node: lead, name: 'lead', files: ['a'] });
});

/** A parent at work into which its child was merged, which it has not taken. */
async function untaken() {
  const runner = await TestRunner.connect();
  const { session, lead, helper } = await family(runner);
  const link = await TestLink.open(lead, 1, 1);
  await link.started();
  await link.say(text('at work'));
  await ask(202, 'POST', `/api/node/${helper}/merge`, {});
  const merged = { commit: hash('3'), before: hash('2'), how: 'merge', taken: false };
  const next = (): Promise<JobOrder> => jobOf(runner, helper);
  const ends = ({ id }: JobOrder, more: object = {}): void => {
    const result = { type: 'merged', ...about(id, helper), ...merged, ...more };
    runner.socket.send({ t: 'done', thread: helper, result });
  };
  const waiting = async () =>
    (await treeOf(session)).nodes.find(({ id }) => id === lead)?.waiting?.commit;
  ends(await next());
  await expect.poll(waiting, { timeout: 10_000 }).toBe(hash('3'));
  return { lead, link, next, ends, waiting };
}

it('[MERGE25] what a parent at work has not taken is tried again when its run ends, and told when its next begins', async () => {
  const { lead, link, next, ends, waiting } = await untaken();
  await link.socket.until('input');
  await link.say({ type: 'done', summary: 'done' });
  const again = await next();
  expect(again.do).toMatchObject({ type: 'merge', commit: hash('1'), target: { atWork: false } });
  ends(again, { how: 'none' });
  await ask(202, 'POST', `/api/thread/${lead}/message`, { content: 'go on' });
  const inputs = [await link.socket.until('input'), await link.socket.until('input')];
  expect(JSON.stringify(inputs)).toContain(`git merge ${hash('3')}`);
  await link.say({ type: 'done', summary: 'done' });
  ends(await next(), { how: 'none', taken: true });
  await expect.poll(waiting, { timeout: 10_000 }).toBeUndefined();
});

it('[MERGE25] what waits is told to a process that is started for the next run', async () => {
  const { lead, link, next, ends } = await untaken();
  await link.say({ type: 'done', summary: 'done' });
  ends(await next());
  const merges = async () =>
    (await logOf(lead)).filter(({ body }) => Reflect.get(Object(body), 'type') === 'merged');
  await expect.poll(merges, { timeout: 10_000 }).toHaveLength(2);
  link.observe(exited());
  await link.socket.until('over');
  await ask(202, 'POST', `/api/thread/${lead}/message`, { content: 'go on' });
  const second = await TestLink.open(lead, 2, 1);
  expect(JSON.stringify(await second.socket.until('input'))).toContain(`git merge ${hash('3')}`);
});

it('[MERGE26] [MERGE27] a conflict is tried again when the run of its task ends, comes back, and can be merged again or left', async () => {
  const runner = await TestRunner.connect();
  const { session, helper } = await family(runner);
  const link = await TestLink.open(helper, 1, 1);
  await link.started();
  await link.say({ type: 'done' });
  await ask(202, 'POST', `/api/node/${helper}/merge`, {});
  const ends = async (more: object): Promise<JobOrder> => {
    const order = await jobOf(runner, helper);
    const conflict = { ours: hash('2'), files: [{ path: 'a', hunks: [] }], truncated: false };
    const result = { type: 'conflict', ...about(order.id, helper), ...conflict, hand: false };
    runner.socket.send({ t: 'done', thread: helper, result: { ...result, ...more } });
    return order;
  };
  await ends({});
  const items = async () => {
    const answer = await ask(200, 'GET', '/api/attention');
    const all = z.object({ items: z.array(AttentionItem) }).parse(answer).items;
    return all.filter(({ thread }) => thread === helper);
  };
  const answered = async (choice: string): Promise<void> => {
    await expect.poll(items, { timeout: 10_000 }).toHaveLength(1);
    await ask(202, 'POST', `/api/attention/${(await items())[0]?.id}`, { choice });
    expect(await items()).toEqual([]);
  };
  await answered('hand to the agent');
  await link.socket.until('input');
  await link.say(text('I looked at it'), { type: 'done' });
  await ends({});
  await answered('merge again');
  await ends({ hand: false });
  await answered('leave it');
  const node = (await treeOf(session)).nodes.find(({ id }) => id === helper);
  expect(node?.conflict).toBeUndefined();
});
