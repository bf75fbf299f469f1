import { addTokens, NO_TOKENS } from '@filepath/protocol';
import {
  Api,
  chance,
  type Follower,
  follow,
  type Instance,
  isType,
  makeRepo,
  shimPids,
  startInstance,
  startModelServer,
  tempDir,
} from '@filepath/testkit';
import { expect, it } from 'vitest';
import { KEY, MODEL } from './budget-support.ts';
import { showOnFailure } from './on-failure.ts';
import { bodyOf } from './support.ts';
import { NAMES, newTree, REPORTS, RESULT, treeModel } from './tree-support.ts';

const KILLS = 20;
/** A call that nobody renews settles after its lease. */
const SETTLED_MS = 180_000;
/** So many of them find the tree at work: it makes some hundred calls. */
const HITS = 15;

type Tree = Awaited<ReturnType<Api['tree']>>;

/** Thirty agents in three levels, each once, done, with what it was asked for. */
async function expectGrown(api: Api, session: string, root: Follower): Promise<Tree> {
  const statuses = async () => new Set((await api.tree(session)).nodes.map(({ status }) => status));
  await expect.poll(statuses).toEqual(new Set(['done']));
  const tree = await api.tree(session);
  expect(tree.nodes.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
  const top = tree.nodes.find(({ parentId }) => parentId === null);
  expect(top).toMatchObject({ done: REPORTS.length, total: REPORTS.length });
  const said = root.events.filter(isType('text')).map((event) => bodyOf(event)['content']);
  expect(said.at(-1)).toBe(RESULT);
  for (const node of tree.nodes.filter(({ name }) => name.startsWith('leaf'))) {
    const commits = async () => (await api.events(node.id)).filter(isType('head'));
    await expect.poll(commits, { message: node.name }).toHaveLength(1);
  }
  return tree;
}

/** Agents that have nothing to do end by themselves. */
async function expectNoneLeft(instance: Instance): Promise<void> {
  await expect.poll(() => shimPids(instance.home), { timeout: 180_000, interval: 500 }).toEqual([]);
}

async function setUp() {
  const stack = new AsyncDisposableStack();
  const repo = tempDir('filepath-repo');
  stack.defer(() => repo.remove());
  makeRepo(repo.path);
  const server = await startModelServer({ script: treeModel, keys: [KEY] });
  stack.defer(() => server.close());
  const instance = stack.use(
    await startInstance({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url }),
  );
  const api = new Api(instance);
  const { session, node } = await newTree(api, repo.path, MODEL);
  showOnFailure(api, session.id);
  const root = follow(instance, node.id);
  stack.defer(() => root.close());
  await api.message(node.id, 'You are root.');
  return { stack, server, instance, api, session, root };
}

it('[TREE1] thirty agents in three levels: every child once, all results, counts and costs right, no process left', async () => {
  const { stack, server, instance, api, session, root } = await setUp();
  await using _ = stack;
  await root.until(isType('done'));
  await expectGrown(api, session.id, root);

  const counted = server.calls.map((call) => call.usage() ?? NO_TOKENS).reduce(addTokens);
  const settled = async () => (await api.tree(session.id)).session.usage?.calls;
  await expect.poll(settled).toBe(server.calls.length);
  const { session: total, nodes } = await api.tree(session.id);
  expect(total.usage?.tokens).toEqual(counted);
  const top = nodes.find(({ parentId }) => parentId === null);
  expect(top?.subtree).toEqual(total.usage);
  const own = nodes.map(({ usage }) => usage.costUsd ?? Number.NaN).reduce((a, b) => a + b);
  expect(own).toBeCloseTo(total.usage?.costUsd ?? -1, 9);
  await expectNoneLeft(instance);
});

it('[TREE1] the same tree with twenty kills of worker and runner at random moments ends with the same result', async () => {
  const dice = chance('tree kills');
  const { stack, server, instance, api, session, root } = await setUp();
  await using _ = stack;
  let calls = 0;
  let hits = 0;
  for (let kills = 0; kills < KILLS; kills += 1) {
    calls = Math.max(calls, server.calls.length) + 1 + dice.below(3);
    // The last ones may find all of it done.
    await Promise.race([server.call(calls), root.until(isType('done'))]);
    if (!root.events.some(isType('done'))) hits += 1;
    if (dice.below(2) === 0) await instance.killEngine();
    else {
      if (dice.below(2) === 0) process.kill(instance.enginePid(), 'SIGKILL');
      await instance.killProcess();
      await instance.start();
    }
  }
  await root.until(isType('done'));
  await expectGrown(api, session.id, root);
  expect(root.events.filter(isType('done'))).toHaveLength(1);
  expect(hits).toBeGreaterThanOrEqual(HITS);
  await expectNoneLeft(instance);
  // Every call was written down before it was made: none is missing, and one that a kill cut off counts at its bound.
  const used = async () => (await api.tree(session.id)).session.usage;
  const least = server.calls.length;
  await expect
    .poll(async () => (await used())?.calls, { timeout: SETTLED_MS, interval: 2_000 })
    .toBeGreaterThanOrEqual(least);
  const counted = server.calls.map((call) => call.usage() ?? NO_TOKENS).reduce(addTokens);
  const { tokens, estimated = 0 } = (await used()) ?? {};
  expect(tokens?.input).toBeGreaterThanOrEqual(counted.input);
  expect(tokens?.output).toBeGreaterThanOrEqual(counted.output);
  if (estimated === 0) expect(tokens).toEqual(counted);
  const { session: total, nodes } = await api.tree(session.id);
  expect(nodes.find(({ parentId }) => parentId === null)?.subtree).toEqual(total.usage);
});
