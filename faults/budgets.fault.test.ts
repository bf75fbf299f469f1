import { BudgetState } from '@filepath/protocol';
import {
  Api,
  chance,
  follow,
  gate,
  type Instance,
  isType,
  type ModelServer,
  scriptAgent,
  startInstance,
  startModelServer,
} from '@filepath/testkit';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  caller,
  callsIn,
  KEY,
  newCaller,
  refusalsIn,
  summaryOf,
  tokensOf,
} from './budget-support.ts';

/** A reservation that nobody renews settles after a minute. */
const SETTLED = { timeout: 120_000, interval: 500 };

let server: ModelServer;
let instance: Instance;
let api: Api;

beforeAll(async () => {
  server = await startModelServer({ script: [], keys: [KEY] });
  instance = await startInstance({
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: server.url,
    FILEPATH_MAX_AGENTS: '100',
  });
  api = new Api(instance);
});

afterAll(async () => {
  await instance[Symbol.asyncDispose]();
  await server.close();
});

it('[F11] [LED13] an engine killed in the middle of an answer charges that call once, at its worst case', async () => {
  const held = gate(1);
  server.play({ script: [{ text: 'a long answer', chunk: 2, gate: held }] });
  const { session, node } = await newCaller(api, 0.1, caller(1, 0, 2000));
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await held.reached;
  await instance.killEngine();
  held.release();
  const usage = async () => (await api.tree(session.id)).session.usage;
  await expect.poll(async () => (await usage())?.calls, SETTLED).toBe(1);
  await feed.until((event) => event.source === 'gateway');
  const calls = callsIn(feed.events);
  expect([...calls.values()]).toMatchObject([
    { outcome: 'cut', estimated: true, tokens: { output: 2000 } },
  ]);
  const { session: shown, nodes } = await api.tree(session.id);
  expect(shown.usage).toMatchObject({ calls: 1, estimated: 1 });
  expect(shown.usage?.tokens).toEqual(tokensOf(calls.values()));
  expect(nodes[0]?.subtree.costUsd).toBeLessThanOrEqual(0.1);
  feed.close();
});

it('[F11] [LED13] [LED19] an instance killed in the middle of an answer charges that call once, at its worst case, to its user too; the key is as good as before', async () => {
  const [held, next] = [gate(1), gate(1)];
  server.play({
    script: [
      { text: 'a long answer', chunk: 2, gate: held },
      { text: 'another', chunk: 2, gate: next },
    ],
  });
  await using own = await startInstance({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
  const its = new Api(own);
  const { session, node } = await newCaller(its, 1, scriptAgent('asker').command);
  const feed = follow(own, node.id);
  await its.message(node.id, '2000');
  await held.reached;
  await own.killProcess();
  await own.start();
  held.release();
  // Its agent has lived on.
  await its.message(node.id, '1500');
  await next.reached;
  const usage = async () => (await its.tree(session.id)).session.usage;
  await expect.poll(async () => (await usage())?.calls, SETTLED).toBe(1);
  expect(await usage()).toMatchObject({ calls: 1, estimated: 1, tokens: { output: 2000 } });
  next.release();
  await expect.poll(async () => (await usage())?.calls, SETTLED).toBe(2);
  await expect.poll(() => callsIn(feed.events).size, SETTLED).toBe(2);
  const calls = [...callsIn(feed.events).values()];
  expect(calls.map(({ outcome, estimated }) => `${outcome} ${estimated}`).toSorted()).toEqual([
    'completed false',
    'cut true',
  ]);
  expect(calls.filter(({ estimated }) => !estimated).map(({ tokens }) => tokens)).toEqual([
    server.calls.at(-1)?.usage(),
  ]);
  expect((await usage())?.tokens).toEqual(tokensOf(calls));
  const user = () => its.json(BudgetState, 'GET', '/api/budget');
  await expect.poll(async () => (await user()).usage, SETTLED).toEqual(await usage());
  expect((await user()).reserved).toEqual({ tokens: 0, usd: 0 });
  await expect.poll(() => server.open()).toBe(0);
  feed.close();
});

it('[F11] [LED11] engines killed at any moment charge every call once, and never past the budget', async () => {
  const dice = chance('budgets');
  server.play({ script: () => ({ text: 'some words', chunk: 2, dripMs: 20 }) });
  const before = server.calls.length;
  const usd = 2;
  const { session, node } = await newCaller(api, usd, caller(25));
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  // The second call was made when the first was answered: while the engine is away, the others may all fail.
  await feed.until(({ source }) => source === 'gateway' && callsIn(feed.events).size > 1);
  for (let kill = 0; kill < 4; kill += 1) {
    // Chance picks the moment of the fault; nothing is waited for here.
    await wait(200 + dice.below(1200));
    await instance.killEngine();
  }
  await feed.until(isType('done'));
  const state = async () => {
    const { session: shown } = await api.tree(session.id);
    const reserved = await (await api.call('GET', `/api/session/${session.id}/budget`)).json();
    return JSON.stringify([shown.usage?.calls, Reflect.get(Object(reserved), 'reserved')]);
  };
  await expect.poll(state, SETTLED).toMatch(/"tokens":0/);
  const { session: shown } = await api.tree(session.id);
  await expect.poll(() => callsIn(feed.events).size, SETTLED).toBe(shown.usage?.calls);
  const calls = callsIn(feed.events);
  expect(shown.usage?.tokens).toEqual(tokensOf(calls.values()));
  expect(shown.usage?.costUsd ?? Infinity).toBeLessThanOrEqual(usd);
  // What reached the provider is charged, each once.
  const sent = server.calls.length - before;
  expect(calls.size).toBeGreaterThanOrEqual(sent);
  const [answered = 0] = summaryOf(feed.events);
  expect(answered).toBeGreaterThan(0);
  expect([...calls.values()].filter(({ estimated }) => !estimated).length).toBeGreaterThanOrEqual(
    answered,
  );
  feed.close();
});

it('[F12] [LED17] twenty calls at once at the last cents of a budget spend at most those', async () => {
  server.play({ script: () => ({ text: 'x', dripMs: 50, usage: { input: 50, output: 1024 } }) });
  const before = server.calls.length;
  const [, , script = ''] = caller(1);
  const many = `i=0; while [ $i -lt 20 ]; do HOME=$(mktemp -d) sh -c "$1" caller 1 >/dev/null & i=$((i + 1)); done; wait; echo '{"type":"done"}'`;
  const { session, node } = await newCaller(api, 0.1, ['sh', '-c', many, 'many', script]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('done'));
  const sent = server.calls.length - before;
  expect(sent).toBeGreaterThan(0);
  const told = () => callsIn(feed.events).size;
  await expect.poll(told, SETTLED).toBe(sent);
  const { session: shown } = await api.tree(session.id);
  expect(shown.usage).toMatchObject({ calls: sent, estimated: 0 });
  expect(shown.usage?.costUsd ?? Infinity).toBeLessThanOrEqual(0.1);
  const refused = () => refusalsIn(feed.events).reduce((sum, { count }) => sum + count, 0);
  // What repeats is told after 5, 10, 20 seconds and so on.
  await expect.poll(refused, SETTLED).toBe(20 - sent);
  feed.close();
});

it('[T24] [LED5] [LED15] a fork bomb under a budget of one dollar spends at most that; its tree is whole and each refusal is explained', async () => {
  server.play({ script: () => ({ text: 'x', usage: { output: 1000 } }) });
  const before = server.calls.length;
  const { session, node } = await newCaller(api, 1, caller(6, 3));
  await api.message(node.id, 'go');
  const tree = async () => (await api.tree(session.id)).nodes;
  const working = async () =>
    (await tree()).filter(({ status, reason }) => status !== 'done' || reason !== null).length;
  await expect.poll(working, { timeout: 400_000, interval: 1000 }).toBe(0);
  const nodes = await tree();
  expect(nodes).toHaveLength(100);
  const ids = new Set<string>(nodes.map(({ id }) => id));
  for (const { parentId } of nodes) expect(parentId === null || ids.has(parentId)).toBe(true);

  const root = nodes.find(({ id }) => id === node.id);
  expect(root?.subtree.costUsd).toBeGreaterThan(0.9);
  expect(root?.subtree.costUsd).toBeLessThanOrEqual(1);
  const sums = { answered: 0, refused: 0 };
  for (const { id } of nodes) {
    const [answered = 0, refused = 0, explained = 0, failed = 0] = summaryOf(await api.events(id));
    expect([answered + refused, explained, failed]).toEqual([6, refused, 0]);
    const told = async () =>
      refusalsIn(await api.events(id)).reduce((sum, { count }) => sum + count, 0);
    // What repeats is told after 5, 10, 20 seconds and so on.
    await expect.poll(told, { timeout: 120_000 }).toBe(refused);
    for (const { message } of refusalsIn(await api.events(id))) {
      expect(message).toContain('a person raises it');
    }
    sums.answered += answered;
    sums.refused += refused;
  }
  expect(sums.refused).toBeGreaterThan(0);
  expect(root?.subtree.calls).toBe(sums.answered);
  expect(server.calls.length - before).toBe(sums.answered);
  expect(server.open()).toBe(0);
});
