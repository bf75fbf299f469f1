import { CallId, type GatewayCall, newCallId, RunReceipt } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { newThread, observe, type TestThread } from './support/threads.ts';

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

const call = (startedAt: string, input = 5, id = newCallId()): GatewayCall => ({
  type: 'call',
  call: CallId.parse(id),
  format: 'openai-chat',
  provider: 'lab',
  model: 'm',
  outcome: 'completed',
  status: 200,
  tokens: { ...NONE, input },
  costUsd: 0,
  estimated: false,
  startedAt,
  firstByteMs: 1,
  durationMs: 1,
});

const settle = (t: TestThread, body: GatewayCall) =>
  t.thread.gateway([{ key: `${body.call}:${body.tokens.input}`, body }]);

const receipts = (t: TestThread) =>
  t.sql
    .all<{ body: string }>('SELECT body FROM receipts ORDER BY id')
    .map(({ body }) => RunReceipt.parse(JSON.parse(body)));

const runs = (t: TestThread) =>
  t.sql.all<{ run: string }>('SELECT run FROM runs ORDER BY started_seq').map(({ run }) => run);

const now = (t: TestThread): string => t.events().at(-1)?.at ?? '';

function working(): TestThread {
  const t = newThread();
  t.thread.message('user', 'a', null);
  observe(t, { type: 'started' });
  t.say({ type: 'status', state: 'thinking' });
  return t;
}

it('[LED16] a call that settles after the end of its run is that run’s, and not the next one’s', () => {
  let t = working();
  const [inTime, late, later] = [call(now(t), 1), call(now(t), 2), call(now(t), 3)];
  settle(t, inTime);
  t.say({ type: 'done' });
  settle(t, late);
  t.pass(1000);
  t.thread.message('user', 'b', null);
  t = t.reopen();
  const own = call(now(t), 4);
  t.thread.gateway([later, own].map((body) => ({ key: body.call, body })));
  t.say({ type: 'done' });
  const told = t.events().filter(({ source }) => source === 'gateway');
  const [first, second] = runs(t);
  expect(told.map(({ run }) => run)).toEqual([first, first, first, second]);
  expect(receipts(t).map(({ calls, tokens }) => [calls, tokens?.input])).toEqual([
    [1, 1],
    [1, 4],
  ]);
  const numbers = (run: string | undefined) =>
    t
      .events()
      .filter((event) => event.run === run)
      .map(({ event }) => event);
  expect(numbers(first)).toEqual(numbers(first).map((_, at) => at + 1));
  expect(numbers(second)).toEqual(numbers(second).map((_, at) => at + 1));
  expect(receipts(t)[1]?.events).toBe(numbers(second).length);
});

it('[LED16] a call that was reserved outside of any run is no run’s', () => {
  const t = working();
  t.say({ type: 'done' });
  t.pass(1000);
  t.say({ type: 'text', content: 'still here' });
  const loose = call(now(t));
  t.pass(1000);
  t.thread.message('user', 'b', null);
  settle(t, loose);
  expect(t.events().at(-1)).toMatchObject({ source: 'gateway', run: null });
  t.say({ type: 'done' });
  expect(receipts(t).map(({ calls }) => calls)).toEqual([undefined, undefined]);
});
