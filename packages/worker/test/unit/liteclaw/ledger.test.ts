import {
  type CallId,
  newCallId,
  newSessionId,
  newThreadId,
  NO_TOKENS,
  type ThreadId,
} from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/gateway/contract.ts';
import { ChatLedger } from '../../../src/liteclaw/ledger.ts';
import { CHAT_MIGRATIONS } from '../../../src/liteclaw/schema.ts';
import { LOCAL_RUNNER } from '../../../src/runner/local-runner.ts';
import { migrate } from '../../../src/storage/schema.ts';
import { USER_MIGRATIONS } from '../../../src/user/schema.ts';
import { UserLedger } from '../../../src/user/user-ledger.ts';
import { nodeSql } from '../support/node-sql.ts';

const PRICE = { input: 1000, output: 5000, cacheRead: 100, cacheWrite: 1250 };
const OUTCOME = {
  outcome: 'completed',
  status: 200,
  firstByteMs: 1,
  durationMs: 2,
  tokens: { ...NO_TOKENS, input: 50, output: 70 },
} as const;

function setUp(tokens: number | null) {
  const [userSql, sql] = [nodeSql(), nodeSql()];
  migrate(userSql, USER_MIGRATIONS);
  migrate(sql, CHAT_MIGRATIONS);
  const user = new UserLedger(userSql);
  user.setBudget({ tokens, usd: null });
  const chat: ThreadId = newThreadId();
  const kept: Promise<void>[] = [];
  const words: string[] = [];
  const open = () =>
    new ChatLedger({
      sql,
      chat,
      user: () => ({
        lease: async (...of) => {
          words.push('lease');
          return user.lease(...of);
        },
        report: async (...of) => {
          words.push('report');
          user.report(...of);
        },
      }),
      keep: (work) => kept.push(work),
    });
  return { user, open, told: () => Promise.all(kept), chat, words };
}

const ask = (call: CallId, thread: ThreadId, outputBound = 2_000): Ask => ({
  call,
  key: '',
  runner: LOCAL_RUNNER,
  thread,
  format: 'anthropic',
  provider: 'anthropic',
  model: 'm',
  price: PRICE,
  inputBound: 100,
  outputBound,
});

describe('[CLAW15] the budget of a chat', () => {
  it('is the user’s: reserved while a call runs, used after it, and nothing is held then', async () => {
    const { user, open, told, chat } = setUp(10_000);
    const ledger = open();
    const call = newCallId();
    expect(await ledger.reserve(ask(call, chat))).toEqual({
      ok: true,
      outputBound: 2_000,
      standing: false,
    });
    await told();
    expect(user.state().reserved.tokens).toBe(2_100);
    await ledger.settle(call, OUTCOME);
    await ledger.settle(call, OUTCOME);
    await told();
    expect(user.state()).toMatchObject({
      reserved: { tokens: 0 },
      usage: { calls: 1, estimated: 0, costUsd: (50 * 1000 + 70 * 5000) / 1e9 },
    });
    expect(user.holders(false, null)).toEqual([]);
  });

  it('[LED33] is known beforehand where the user has none', async () => {
    const { user, open, chat } = setUp(null);
    const ledger = open();
    const grant = await ledger.reserve(ask(newCallId(), chat));
    expect(grant).toMatchObject({ ok: true, standing: true });
    expect(user.chats(), 'who was told so').toEqual([chat]);
    user.setBudget({ tokens: 100_000, usd: null });
    const next = await ledger.reserve(ask(newCallId(), chat));
    expect(next).toMatchObject({ ok: true, standing: false });
  });

  it('without one is told once for each call: what it takes counts from its start', async () => {
    const { user, open, told, chat, words } = setUp(null);
    const ledger = open();
    const call = newCallId();
    expect(await ledger.reserve(ask(call, chat))).toMatchObject({ ok: true });
    await told();
    expect(words).toEqual(['lease']);
    expect(user.state().reserved.tokens).toBe(2_100);
    user.setBudget({ tokens: 3_000, usd: null });
    expect(user.covers(newSessionId(), { tokens: 1_000, nano: 0 })).toBe(false);
    await ledger.settle(call, OUTCOME);
    await told();
    expect(words).toEqual(['lease', 'report']);
    expect(user.covers(newSessionId(), { tokens: 1_000, nano: 0 })).toBe(true);
  });

  it('takes no word for an older one after a kill that came before it was stored', async () => {
    const { user, open, told, chat } = setUp(null);
    const killed = open();
    // The user's ledger hears of a call, and the chat ends before it has noted it.
    const little = { tokens: 500, nano: 0 };
    user.lease(chat, { n: 17, used: killed.usage(), taken: little }, little);
    const again = open();
    const call = newCallId();
    await again.reserve(ask(call, chat));
    expect(user.state().reserved.tokens).toBe(2_100);
    await again.settle(call, OUTCOME);
    await told();
    expect(user.state()).toMatchObject({ reserved: { tokens: 0 }, usage: { calls: 1 } });
  });

  it('that refuses leaves no more in the user’s books than there is, though the next word is lost', () => {
    const { user, chat, open } = setUp(1_000);
    const used = open().usage();
    const much = { tokens: 900_000, nano: 0 };
    user.lease(chat, { n: 99, used, taken: { tokens: 0, nano: 0 } }, much, true);
    user.setBudget({ tokens: 5_000, usd: null });
    expect(user.covers(newSessionId(), { tokens: 4_000, nano: 0 })).toBe(true);
  });

  it('refuses what does not fit, with words for a person', async () => {
    const { open, told, chat } = setUp(500);
    const grant = await open().reserve(ask(newCallId(), chat));
    expect(grant).toMatchObject({ ok: false, code: 'budget', scope: 'user' });
    expect(grant).toHaveProperty('message', expect.stringContaining('PUT /api/budget'));
    await told();
  });

  it('a call that was under way at a kill is charged at its worst case, once', async () => {
    const { user, open, told, chat } = setUp(10_000);
    await open().reserve(ask(newCallId(), chat));
    const again = open();
    expect(again.usage()).toMatchObject({ input: 100, output: 2_000, estimated: 1, calls: 1 });
    expect(open().usage().calls).toBe(1);
    const next = newCallId();
    await again.reserve(ask(next, chat));
    await again.settle(next, OUTCOME);
    await told();
    expect(user.state()).toMatchObject({ reserved: { tokens: 0 }, usage: { calls: 2 } });
  });
});
