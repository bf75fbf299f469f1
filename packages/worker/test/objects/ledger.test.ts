import { abortAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import {
  BudgetState,
  GatewayBody,
  type Node,
  NodeBudgetState,
  RunReceipt,
  type Session,
  TreeFrame,
} from '@filepath/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ThreadObject } from '../../src/thread/thread-object.ts';
import { UserObject } from '../../src/user/user-object.ts';
import { ask, call, logOf, newAgent, newNode, newSession, OWNER, treeOf } from './support/api.ts';
import { callerOf, type Caller, ended } from './support/calls.ts';
import { breakMethod, fireAlarm, inStorage } from './support/faults.ts';
import { TestLink, TestRunner } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';
import { signInAs } from './support/users.ts';

type Made = { session: Session; node: Node; caller: Caller };

async function newCaller(): Promise<Made> {
  const runner = await TestRunner.connect();
  const { session, node } = await newAgent();
  return { session, node, caller: await callerOf(runner, session.id, node.id) };
}

const calls = async (node: Node) =>
  (await logOf(node.id))
    .filter((event) => event.source === 'gateway')
    .map((event) => ({ run: event.run, body: GatewayBody.parse(event.body) }));

const setBudget = async (path: string, usd: number | null, tokens: number | null = null) =>
  ask(200, 'PUT', path, { budget: { tokens, usd } });

/** The budget of a user holds for all tests of this file: each gives it back. */
afterEach(async () => {
  vi.restoreAllMocks();
  await setBudget('/api/budget', null);
});

describe('a call to a model', () => {
  it('[LED15] [LED16] is one event of the open run, and in the receipt of that run', async () => {
    const { node, caller } = await newCaller();
    const link = await TestLink.open(node.id, 1, 1);
    await link.started();
    const given = caller.ask();
    expect(await caller.session.reserve(given)).toMatchObject({ ok: true, outputBound: 2000 });
    await caller.session.settle(given.call, ended({ input: 100, output: 20 }));
    await caller.session.settle(given.call, ended({ input: 100, output: 20 }));
    await expect.poll(() => calls(node)).toHaveLength(1);
    const [told] = await calls(node);
    expect(told?.body).toMatchObject({ call: given.call, costUsd: 0.00014, outcome: 'completed' });
    expect(told?.run).toMatch(/^run_/);
    await link.say({ type: 'done' });
    const [receipt] = await inStorage(env.THREAD.getByName(node.id), ({ sql }) =>
      sql.exec<{ body: string }>('SELECT body FROM receipts').toArray(),
    );
    expect(RunReceipt.parse(JSON.parse(receipt?.body ?? ''))).toMatchObject({
      calls: 1,
      tokens: { input: 100, output: 20 },
      cost_usd: 0.00014,
      estimated: false,
    });
  });

  it.each(['before', 'after'])(
    '[LED11] whose end makes no sense takes no other with it that ends at the same moment, %s it',
    async (place) => {
      const { node, caller } = await newCaller();
      const [odd, good, last] = [caller.ask(), caller.ask(), caller.ask()];
      for (const one of [odd, good, last]) await caller.session.reserve(one);
      const ends = [
        () => caller.session.settle(odd.call, { ...ended({ input: 1 }), durationMs: -1 }),
        () => caller.session.settle(good.call, ended({ input: 2 })),
      ];
      if (place === 'after') ends.reverse();
      await Promise.allSettled(ends.map((end) => end()));
      await expect.poll(() => calls(node)).toHaveLength(1);
      expect((await calls(node))[0]?.body).toMatchObject({ call: good.call, tokens: { input: 2 } });
      // What is told later is told all the same.
      await caller.session.settle(last.call, ended({ input: 3 }));
      await expect.poll(() => calls(node)).toHaveLength(2);
    },
  );

  it('[LED15] is told by the alarm when it could not be told at once, and once', async () => {
    const { session, node, caller } = await newCaller();
    breakMethod(ThreadObject.prototype, 'gateway');
    const given = caller.ask();
    await caller.session.reserve(given);
    await caller.session.settle(given.call, ended({ input: 1 }));
    await abortAllDurableObjects();
    vi.restoreAllMocks();
    await fireAlarm(env.SESSION.getByName(session.id));
    await expect.poll(() => calls(node)).toHaveLength(1);
    await fireAlarm(env.SESSION.getByName(session.id));
    expect(await calls(node)).toHaveLength(1);
  });

  it('[LED11] [LED13] that was under way when all was lost settles once, at its worst case', async () => {
    const { session, node, caller } = await newCaller();
    const given = caller.ask();
    await caller.session.reserve(given);
    await caller.session.renew(given.call);
    await abortAllDurableObjects();
    const stub = env.SESSION.getByName(session.id);
    await inStorage(stub, ({ sql }) => sql.exec('UPDATE calls SET until = 1').toArray());
    await fireAlarm(stub);
    await expect.poll(() => calls(node)).toHaveLength(1);
    await abortAllDurableObjects();
    await fireAlarm(env.SESSION.getByName(session.id));
    const [shown] = (await treeOf(session.id)).nodes;
    expect(shown).toMatchObject({ tokens: 3000, usage: { calls: 1, estimated: 1 } });
    expect((await calls(node)).map(({ body }) => body)).toMatchObject([
      { call: given.call, outcome: 'cut', estimated: true },
    ]);
  });

  it('[LED1] with the key of a deleted agent is refused at once', async () => {
    const { session, node, caller } = await newCaller();
    await ask(204, 'DELETE', `/api/session/${session.id}/node/${node.id}`);
    expect(await caller.session.reserve(caller.ask())).toEqual({ ok: false, code: 'bad_key' });
    expect(await caller.session.check(caller.ask())).toBe(false);
  });

  it('[LED2] leaves no key in the storage of the session', async () => {
    const { session, caller } = await newCaller();
    const { key } = caller.ask();
    const stored = await inStorage(env.SESSION.getByName(session.id), ({ sql }) =>
      JSON.stringify(sql.exec('SELECT * FROM nodes').toArray()),
    );
    expect(stored).toContain('key_hash');
    expect(stored).not.toContain(key);
  });

  it('[LED20] reaches viewers of the tree with its node, those above it and the session', async () => {
    const { session, node } = await newAgent();
    const child = await newNode(session.id, { parentId: node.id });
    const caller = await callerOf(await TestRunner.connect(), session.id, child.id);
    const viewer = await TestSocket.open(`/api/session/${session.id}/events`, OWNER);
    const began = Date.now();
    for (let n = 0; n < 20; n += 1) {
      const given = caller.ask();
      await caller.session.reserve(given);
      await caller.session.settle(given.call, ended({ input: 10 }));
    }
    const shown = new Map<string, number>();
    let tellings = 0;
    while (
      shown.get(session.id) !== 20 ||
      shown.get(node.id) !== 20 ||
      shown.get(child.id) !== 20
    ) {
      const frame = TreeFrame.parse(await viewer.next());
      if (frame.t !== 'events') continue;
      for (const change of frame.events) {
        if (change.type === 'node') shown.set(change.node.id, change.node.subtree.calls);
        if (change.type === 'node' && change.node.id === child.id) tellings += 1;
        if (change.type === 'session') shown.set(session.id, change.session.usage?.calls ?? 0);
      }
    }
    // The first is what the viewer finds when it joins.
    expect(tellings).toBeLessThanOrEqual(2 + Math.ceil((Date.now() - began) / 500));
    const { nodes } = await treeOf(session.id);
    expect(nodes.find(({ id }) => id === node.id)?.usage.calls).toBe(0);
  });
});

describe('a budget', () => {
  it('[LED5] [LED8] of a node refuses, is told and shown, and lets the next call through when it is raised', async () => {
    const { session, node, caller } = await newCaller();
    const path = `/api/session/${session.id}/node/${node.id}/budget`;
    await setBudget(path, 0.001);
    const refused = await caller.session.reserve(caller.ask());
    expect(refused).toMatchObject({ ok: false, code: 'budget', scope: node.id });
    await expect.poll(() => calls(node)).toHaveLength(1);
    await fireAlarm(env.SESSION.getByName(session.id));
    await fireAlarm(env.SESSION.getByName(session.id));
    const attention = async () => JSON.stringify(await ask(200, 'GET', '/api/attention'));
    expect(await attention()).toContain(`the budget of ${node.name} and the agents below it`);
    await setBudget(path, 1);
    expect((await treeOf(session.id)).nodes[0]).toMatchObject({
      blocked: null,
      budget: { tokens: null, usd: 1 },
    });
    expect(await attention()).not.toContain(node.id);
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ ok: true });
    const state = NodeBudgetState.parse(await ask(200, 'GET', path));
    expect(state.reserved).toEqual({ tokens: 3000, usd: 0.00525 });
    expect(state.own.reserved).toEqual(state.reserved);
  });

  it('[LED9] [LED22] is given at creation, and for an agent alone', async () => {
    const session = await newSession({ budget: { tokens: 5000, usd: null } });
    const node = await newNode(session.id, { budget: { tokens: null, usd: 2 } });
    const path = `/api/session/${session.id}/node/${node.id}/budget`;
    await ask(200, 'PUT', path, { own: { tokens: 4000, usd: null } });
    expect(await ask(200, 'GET', path)).toMatchObject({
      budget: { tokens: null, usd: 2 },
      own: { budget: { tokens: 4000, usd: null } },
    });
    expect((await treeOf(session.id)).session.budget).toEqual({ tokens: 5000, usd: null });
    const caller = await callerOf(await TestRunner.connect(), session.id, node.id);
    const given = { outputBound: 9000 };
    expect(await caller.session.reserve(caller.ask(given))).toEqual({
      ok: true,
      outputBound: 3000,
    });
    await ask(400, 'PUT', path, { budget: { tokens: -1, usd: null } });
    await ask(400, 'PUT', path, { budget: { usd: 1 } });
  });

  it('[F12] [LED17] lets 20 calls at once at the last cent spend at most that cent', async () => {
    const { session, caller } = await newCaller();
    await setBudget(`/api/session/${session.id}/budget`, 0.01);
    const asks = Array.from({ length: 20 }, () => caller.ask({ outputBound: 1024 }));
    const grants = await Promise.all(asks.map((one) => caller.session.reserve(one)));
    expect(grants.filter(({ ok }) => ok)).toHaveLength(3);
    await Promise.all(
      asks.map((one) => caller.session.settle(one.call, ended({ input: 1000, output: 1024 }))),
    );
    const state = BudgetState.parse(await ask(200, 'GET', `/api/session/${session.id}/budget`));
    expect(state.usage).toMatchObject({ calls: 3 });
    expect(state.usage.costUsd).toBeLessThanOrEqual(0.01);
    expect(state.reserved).toEqual({ tokens: 0, usd: 0 });
  });

  it('[LED21] in money refuses agents that nobody meters, unless that is allowed', async () => {
    const session = await newSession({ budget: { tokens: null, usd: 1 } });
    const path = `/api/session/${session.id}/node`;
    await ask(409, 'POST', path, { agentType: 'amp' });
    await ask(201, 'POST', path, { agentType: 'amp', config: { allowUnmetered: true } });
    const free = await newSession();
    await ask(201, 'POST', `/api/session/${free.id}/node`, { agentType: 'amp' });
    await ask(409, 'PUT', `/api/session/${free.id}/budget`, { budget: { tokens: null, usd: 1 } });
    await ask(200, 'PUT', `/api/session/${free.id}/budget`, { budget: { tokens: 1, usd: null } });
    expect(
      JSON.stringify(await ask(409, 'PUT', '/api/budget', { budget: { tokens: null, usd: 5 } })),
    ).toContain('of amp to models do not pass the gateway');
    await ask(204, 'DELETE', `/api/session/${free.id}`);
    await setBudget('/api/budget', 5);
    const other = await newSession();
    await ask(409, 'POST', `/api/session/${other.id}/node`, { agentType: 'amp' });
  });

  it("[LED21] in money refuses unmetered agents of the operator's own, whichever of the two comes first", async () => {
    const own = {
      type: 'goose',
      name: 'Goose',
      description: 'It has a key of its own.',
      icon: 'bird',
      defaultModel: 'some/model',
      driver: { kind: 'acp', command: ['goose', 'acp'] },
      metered: false,
    };
    await TestRunner.connect({ catalog: { own: [own], programs: {} } });
    const session = await newSession();
    const path = `/api/session/${session.id}`;
    const node = await newNode(session.id, { agentType: 'goose', config: {} });
    const budget = { tokens: null, usd: 1 };
    await ask(409, 'PUT', `${path}/budget`, { budget });
    await ask(409, 'PUT', `${path}/node/${node.id}/budget`, { budget });
    await ask(409, 'PUT', `${path}/node/${node.id}/budget`, { own: budget });
    await ask(409, 'PUT', '/api/budget', { budget });
    await ask(200, 'PATCH', `${path}/node/${node.id}`, { config: { allowUnmetered: true } });
    await ask(200, 'PUT', '/api/budget', { budget });
    await ask(409, 'PATCH', `${path}/node/${node.id}`, { config: {} });
    await setBudget('/api/budget', null);
    await ask(200, 'PUT', `${path}/node/${node.id}/budget`, { own: budget });
    await ask(409, 'PATCH', `${path}/node/${node.id}`, { config: {} });
    await ask(409, 'POST', `${path}/node`, { agentType: 'goose', budget });
    await ask(204, 'DELETE', path);
    await TestRunner.connect({ catalog: { own: [], programs: {} } });
  });
});

describe('a budget of new sessions and agents', () => {
  const none = { tokens: null, usd: null };
  const session = { tokens: null, usd: 7 };
  const agent = { tokens: 5000, usd: null };
  const path = '/api/budget/defaults';
  afterEach(() => ask(200, 'PUT', path, { session: none, agent: none }));

  it('[LED31] holds where none is named, for the first agent and for those that a person spawns', async () => {
    expect(await ask(200, 'GET', path)).toEqual({ session: none, agent: none });
    const before = await newAgent();
    await ask(200, 'PUT', path, { session, agent });
    expect((await treeOf(before.session.id)).session.budget).toEqual(none);
    const made = await newAgent();
    const tree = await treeOf(made.session.id);
    expect(tree.session.budget).toEqual(session);
    expect(tree.nodes[0]?.budget).toEqual(agent);
    const below = await newNode(made.session.id, { parentId: made.node.id });
    expect(below.budget).toEqual(agent);
    const free = await newNode(made.session.id, { parentId: made.node.id, budget: none });
    expect(free.budget).toEqual(none);
    expect((await newNode(before.session.id)).budget).toEqual(agent);
  });

  it('[LED31] is the own one of each user, and is parsed', async () => {
    await ask(200, 'PUT', path, { session, agent });
    const headers = await signInAs('has-no-defaults');
    expect(await (await call(path, { headers })).json()).toEqual({ session: none, agent: none });
    await ask(400, 'PUT', path, { session, agent: { tokens: -1, usd: null } });
    await ask(400, 'PUT', path, { session });
  });
});

describe("the user's budget", () => {
  const state = async () => BudgetState.parse(await ask(200, 'GET', '/api/budget'));

  it('[LED18] is shared by sessions: what one does not need the other gets, and both together never exceed it', async () => {
    const [a, b] = [await newCaller(), await newCaller()];
    const { usage, reserved } = await state();
    const before = usage.costUsd + reserved.usd;
    // Three calls at their worst case, and a little.
    await setBudget('/api/budget', before + 0.016);
    const one = a.caller.ask();
    expect(await a.caller.session.reserve(one)).toMatchObject({ ok: true });
    expect(await b.caller.session.reserve(b.caller.ask())).toMatchObject({ ok: true });
    expect(await b.caller.session.reserve(b.caller.ask())).toMatchObject({ ok: true });
    expect(await a.caller.session.reserve(a.caller.ask())).toMatchObject({
      ok: false,
      code: 'budget',
      scope: 'user',
    });
    await setBudget('/api/budget', before + 0.1);
    expect(await a.caller.session.reserve(a.caller.ask())).toMatchObject({ ok: true });
  });

  it('[LED8] [LED18] that is set while sessions have none holds for their next call', async () => {
    const { caller } = await newCaller();
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ ok: true });
    await setBudget('/api/budget', 0);
    expect(await caller.session.reserve(caller.ask())).toMatchObject({ code: 'budget' });
  });

  it('[LED18] is asked for once, not for each call', async () => {
    const { caller } = await newCaller();
    await setBudget('/api/budget', 100);
    const lease = vi.spyOn(UserObject.prototype, 'lease');
    for (let n = 0; n < 10; n += 1) await caller.session.reserve(caller.ask());
    expect(lease).toHaveBeenCalledTimes(1);
  });

  it('[LED19] has the use of a session also when it is deleted', async () => {
    const { session, caller } = await newCaller();
    const before = (await state()).usage.calls;
    const given = caller.ask();
    await caller.session.reserve(given);
    await caller.session.settle(given.call, ended({ input: 7 }));
    await ask(204, 'DELETE', `/api/session/${session.id}`);
    await fireAlarm(env.SESSION.getByName(session.id));
    expect((await state()).usage.calls).toBe(before + 1);
  });
});
