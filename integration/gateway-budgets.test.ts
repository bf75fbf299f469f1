import {
  Api,
  gate,
  type Instance,
  type ModelServer,
  startInstance,
  startModelServer,
} from '@filepath/testkit';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Asker,
  booksOf,
  expectBooks,
  expectUser,
  KEY,
  newAsker,
  usedBy,
  userUsage,
} from './gateway-support.ts';

/** Enough for one call of 2,000 tokens at its worst case, and not for two. */
const ONE = 0.07;
const TWO = 0.13;
/** Below what one call of 2,000 tokens holds, and enough for one of 100. */
const LESS = 0.02;

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

/** The user's budget holds for every test of this file: each gives it back. */
afterEach(async () => {
  await put('/api/budget', { budget: { tokens: null, usd: null } });
});

afterAll(async () => {
  await instance[Symbol.asyncDispose]();
  await server.close();
});

const put = (path: string, body: unknown): Promise<unknown> =>
  api.json(z.unknown(), 'PUT', path, body);

/** Whose budget it is, and how it is set. The user's has what was used before. */
const SCOPES: readonly [string, (asker: Asker, usd: number, before: number) => Promise<unknown>][] =
  [
    [
      'the session',
      ({ session }, usd) =>
        put(`/api/session/${session}/budget`, { budget: { tokens: null, usd } }),
    ],
    [
      'the agent and those below it',
      ({ session, node }, usd) =>
        put(`/api/session/${session}/node/${node}/budget`, { budget: { tokens: null, usd } }),
    ],
    [
      'the agent alone',
      ({ session, node }, usd) =>
        put(`/api/session/${session}/node/${node}/budget`, { own: { tokens: null, usd } }),
    ],
    [
      'the user',
      (_, usd, before) => put('/api/budget', { budget: { tokens: null, usd: before + usd } }),
    ],
  ];

/** What repeats is told to the thread later; the agent has it each time. */
const refusalsOf = (asker: Asker): number =>
  asker.said().filter((text) => text.startsWith('400') && text.includes('Not enough is left of'))
    .length;

it.each(SCOPES)(
  '[LED8] [LED10] a budget of %s that is raised while a call runs lets the next one through, and both are counted as they were',
  async (_, limit) => {
    const [first, second] = [gate(1), gate(1)];
    server.play({
      script: [
        { text: 'the first answer', chunk: 4, gate: first },
        { text: 'the second', chunk: 4, gate: second },
      ],
    });
    const from = server.calls.length;
    const before = await userUsage(api);
    const asker = await newAsker(instance, api);
    await limit(asker, ONE, before.usage.costUsd);
    await asker.ask(2000);
    await first.reached;
    const { session: held } = await booksOf(api, asker);
    expect(held.reserved.usd).toBeGreaterThan(0.05);

    await asker.ask(2000);
    await expect.poll(() => refusalsOf(asker)).toBe(1);
    await limit(asker, TWO, before.usage.costUsd);
    await asker.ask(2000);
    await second.reached;
    const { session: both } = await booksOf(api, asker);
    expect(both.reserved).toEqual({
      tokens: 2 * held.reserved.tokens,
      usd: 2 * held.reserved.usd,
    });

    first.release();
    second.release();
    const calls = () => server.calls.slice(from);
    await Promise.all(calls().map(({ ended }) => ended));
    expect(calls()).toHaveLength(2);
    await expectBooks(api, asker, usedBy(calls()));
    await expectUser(api, before, usedBy(calls()));
    asker.feed.close();
  },
);

it.each(SCOPES)(
  '[GW18] [LED8] a budget of %s that is set between two calls holds before the provider hears of the second',
  async (_, limit) => {
    server.play({ script: [{ text: 'one' }, { text: 'two' }, { text: 'never' }] });
    const before = await userUsage(api);
    const asker = await newAsker(instance, api);
    // After the second the session's word stands: unless it is taken back, the third is sent while it is reserved.
    for (const said of [1, 2]) {
      await asker.ask(2000);
      await expect.poll(() => asker.said().length).toBe(said);
    }
    const asked = server.requests.length;
    await limit(asker, 0.000_001, before.usage.costUsd);
    await asker.ask(2000);
    await expect.poll(() => refusalsOf(asker)).toBe(1);
    expect(server.requests).toHaveLength(asked);
    asker.feed.close();
  },
);

it.each(SCOPES)(
  '[LED8] [LED17] a budget of %s that is lowered below what a call holds lets that call end, and then only what fits',
  async (_, limit) => {
    const held = gate(1);
    server.play({
      script: [{ text: 'some words', chunk: 4, gate: held }, { text: 'short' }],
    });
    const from = server.calls.length;
    const before = await userUsage(api);
    const asker = await newAsker(instance, api);
    await limit(asker, ONE, before.usage.costUsd);
    await asker.ask(2000);
    await held.reached;
    await limit(asker, LESS, before.usage.costUsd);
    expect((await booksOf(api, asker)).session.reserved.usd).toBeGreaterThan(LESS);
    await asker.ask(100);
    await expect.poll(() => refusalsOf(asker)).toBe(1);
    expect(server.calls.slice(from)).toHaveLength(1);

    held.release();
    await server.calls[from]?.ended;
    const [only] = server.calls.slice(from);
    await expectBooks(api, asker, usedBy(only ? [only] : []));
    await asker.ask(100);
    await (
      await server.call(from + 2)
    ).ended;
    await asker.ask(2000);
    await expect.poll(() => refusalsOf(asker)).toBe(2);
    const calls = server.calls.slice(from);
    expect(calls).toHaveLength(2);
    await expectBooks(api, asker, usedBy(calls));
    await expectUser(api, before, usedBy(calls));
    asker.feed.close();
  },
);
