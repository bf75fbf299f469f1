import { NO_TOKENS } from '@filepath/protocol';
import {
  agentPids,
  Api,
  gate,
  type Instance,
  isType,
  type ModelServer,
  shimPids,
  startInstance,
  startModelServer,
} from '@filepath/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  callsIn,
  expectBooks,
  expectUser,
  KEY,
  keyOf,
  newAsker,
  newChild,
  showKey,
  usedBy,
  userUsage,
} from './gateway-support.ts';

/** An agent that has left is given ten seconds in which its answer can be counted. */
const LEFT = { timeout: 40_000 };

let server: ModelServer;
let instance: Instance;
let api: Api;

beforeAll(async () => {
  server = await startModelServer({ script: [], keys: [KEY] });
  instance = await startInstance({
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: server.url,
    // Its list asks for a key too, so that prices are the built-in ones.
    OPENROUTER_BASE_URL: `${server.url}/api/v1`,
  });
  api = new Api(instance);
});

afterAll(async () => {
  await instance[Symbol.asyncDispose]();
  await server.close();
});

/** Nothing of the agent runs, and no answer is on its way. */
async function expectQuiet(thread: string): Promise<void> {
  await expect.poll(() => agentPids(thread), LEFT).toEqual([]);
  await expect.poll(() => server.open(), LEFT).toBe(0);
}

function held() {
  const waits = gate(1);
  server.play({ script: [{ text: 'an answer in parts', chunk: 4, gate: waits }] });
  return waits;
}

it('[LED1] [LED14] an agent that is deleted while its call runs has a dead key at once; the call counts for those above it as its provider counts', async () => {
  const waits = held();
  const from = server.calls.length;
  const before = await userUsage(api);
  const root = await newAsker(instance, api, { usd: 1 });
  const child = await newChild(instance, api, root);
  await child.ask(2000);
  await waits.reached;
  const key = keyOf(child);
  expect(await showKey(instance, child, key)).toBe(200);
  const path = `/api/session/${child.session}/node/${child.node}`;
  expect((await api.call('DELETE', path)).status).toBe(204);
  expect(await showKey(instance, child, key)).toBe(401);
  waits.release();

  const calls = server.calls.slice(from);
  await Promise.all(calls.map(({ ended }) => ended));
  const used = usedBy(calls);
  expect(used.calls).toBe(1);
  const total = async () => (await api.tree(root.session)).session.usage?.calls;
  await expect.poll(total, LEFT).toBe(1);
  await expect.poll(async () => (await api.tree(root.session)).nodes.length).toBe(1);
  const { session, nodes } = await api.tree(root.session);
  expect(session.usage).toMatchObject(used);
  expect(nodes[0]?.subtree).toMatchObject(used);
  expect(nodes[0]?.usage).toMatchObject({ calls: 0, tokens: NO_TOKENS });
  await expectUser(api, before, used);
  await expectQuiet(child.node);
  root.feed.close();
  child.feed.close();
});

it('[GW12] [LED12] an agent that is stopped leaves its call: it is counted if its answer ends soon', async () => {
  const waits = held();
  const from = server.calls.length;
  const before = await userUsage(api);
  const asker = await newAsker(instance, api, { usd: 1 });
  await asker.ask(2000);
  await waits.reached;
  await api.call('POST', `/api/thread/${asker.node}/signal`, { action: 'stop' });
  await asker.feed.until(isType('exit'));
  waits.release();
  const calls = server.calls.slice(from);
  await Promise.all(calls.map(({ ended }) => ended));
  await expect.poll(() => callsIn(asker.feed.events), LEFT).toHaveLength(1);
  expect(callsIn(asker.feed.events)).toMatchObject([{ outcome: 'cancelled', estimated: false }]);
  await expectBooks(api, asker, usedBy(calls));
  await expectUser(api, before, usedBy(calls));
  await expectQuiet(asker.node);
  asker.feed.close();
});

it('[GW12] [LED12] an agent that is stopped leaves its call: its provider is let go if its answer does not end, and the worst case holds', async () => {
  const waits = held();
  const from = server.calls.length;
  const before = await userUsage(api);
  const asker = await newAsker(instance, api, { usd: 1 });
  await asker.ask(2000);
  await waits.reached;
  await api.call('POST', `/api/thread/${asker.node}/signal`, { action: 'stop' });
  await asker.feed.until(isType('exit'));
  await expectQuiet(asker.node);
  const [call] = server.calls.slice(from);
  expect(await call?.ended).toBe('left');
  await expect.poll(() => callsIn(asker.feed.events), LEFT).toHaveLength(1);
  const [told] = callsIn(asker.feed.events);
  expect(told).toMatchObject({ outcome: 'cancelled', estimated: true, tokens: { output: 2000 } });
  const used = { tokens: told?.tokens ?? NO_TOKENS, calls: 1, estimated: 1 };
  await expectBooks(api, asker, used);
  await expectUser(api, before, used);
  asker.feed.close();
});

it.each([
  ['counts as its provider counts', true],
  ['counts at its worst case if its answer does not end', false],
])(
  '[LED1] [LED19] a session that is deleted while a call runs leaves nothing, and the call %s for its user',
  async (_, ends) => {
    const waits = held();
    const from = server.calls.length;
    const before = await userUsage(api);
    const asker = await newAsker(instance, api, { usd: 1 });
    await asker.ask(2000);
    await waits.reached;
    const key = keyOf(asker);
    expect((await api.call('DELETE', `/api/session/${asker.session}`)).status).toBe(204);
    expect(await showKey(instance, asker, key)).toBe(401);
    expect((await api.call('GET', `/api/session/${asker.session}/budget`)).status).toBe(404);
    if (ends) waits.release();
    const calls = server.calls.slice(from);
    await Promise.all(calls.map(({ ended }) => ended));
    await expectQuiet(asker.node);
    await expect.poll(() => shimPids(instance.home), LEFT).toEqual([]);
    if (ends) await expectUser(api, before, usedBy(calls));
    else {
      const estimated = async () => (await userUsage(api)).usage.estimated - before.usage.estimated;
      await expect.poll(estimated, LEFT).toBe(1);
      const { usage, reserved } = await userUsage(api);
      expect(usage.tokens.output - before.usage.tokens.output).toBe(2000);
      expect(reserved).toEqual({ tokens: 0, usd: 0 });
    }
    asker.feed.close();
  },
);
