import { type Api, chance, gate, type Instance, type ModelServer } from '@filepath/testkit';
import type { ChatView } from '@filepath/client/chat';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { textOf, transcript } from './chat-support.ts';
import { followChat, type Followed, textsOf } from './live-chat-support.ts';

const LONG = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;
const open: Followed[] = [];

beforeAll(async () => {
  chats = await startChatInstance({
    LITECLAW_MESSAGES_PER_MINUTE: '90',
  });
  ({ server, instance, api, id } = chats);
});

afterEach(async () => {
  for (const { chat } of open.splice(0)) chat.close();
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
});

async function connect(chat = id): Promise<Followed> {
  const followed = followChat(instance, chat);
  open.push(followed);
  await followed.until(({ state, messages }) => state === 'live' && messages !== null);
  return followed;
}

const answered = (view: ChatView): boolean =>
  !view.busy && view.messages?.at(-1)?.role === 'assistant';
const writes = (view: ChatView): boolean =>
  view.writing === view.messages?.at(-1)?.id && textsOf(view).at(-1) !== '';

/** What was ever shown of the last answer is the beginning of it, and nothing that was shown is taken back. */
function expectGrowth(views: readonly ChatView[], at: number, whole: string): void {
  let before = '';
  for (const view of views) {
    const shown = textsOf(view)[at] ?? '';
    if (view.messages === null || shown === '') continue;
    expect(whole.startsWith(shown), `shown: ${shown}`).toBe(true);
    expect(shown.length, `after ${before}`).toBeGreaterThanOrEqual(before.length);
    before = shown;
  }
}

it('[CHT1] says something, shows the answer while it is written, and has what is stored', async () => {
  server.play({ script: [{ text: LONG, chunk: 6 }] });
  const { chat, views, until } = await connect();
  chat.send('Hello?');
  expect(textsOf(chat.view())).toEqual(['Hello?']);
  expect(chat.view().busy).toBe(true);
  const view = await until(answered);
  expect(textsOf(view)).toEqual(['Hello?', LONG]);
  expectGrowth(views, 1, LONG);
  const stored = await transcript(api, id);
  expect(stored.map(({ id: one }) => one)).toEqual(view.messages?.map(({ id: one }) => one));
  expect(stored.map(textOf)).toEqual(textsOf(view));
});

it('[CHT2] connections that are cut anywhere lose nothing and repeat nothing', async () => {
  const dice = chance('live chat, cuts');
  const followed = await connect();
  const { chat, cut, until, views } = followed;
  for (let round = 0; round < 20; round += 1) {
    server.play({ script: [{ text: LONG, chunk: 4 + dice.below(8), dripMs: 1 + dice.below(8) }] });
    views.length = 0;
    chat.send(`Round ${round}`);
    for (let cuts = 1 + dice.below(3); cuts > 0; cuts -= 1) {
      await pause(dice.below(250));
      cut();
    }
    const view = await until(
      (one) => answered(one) && one.state === 'live' && textsOf(one).at(-2) === `Round ${round}`,
    );
    expect(textsOf(view).slice(-2), `round ${round}`).toEqual([`Round ${round}`, LONG]);
    expect(view.messages).toHaveLength(2 * (round + 1));
    expectGrowth(views, 2 * round + 1, LONG);
  }
  const stored = await transcript(api, id);
  expect(stored.map(textOf)).toEqual(textsOf(chat.view()));
});

it('[CHT3] what is said without a connection is said once, when there is one', async () => {
  server.play({ script: () => ({ text: 'Here.' }) });
  const { chat, cut, hold, until } = await connect();
  hold(true);
  cut();
  await until(({ state }) => state === 'offline');
  chat.send('Are you there?');
  expect(chat.view().waiting.size).toBe(1);
  hold(false);
  const view = await until(answered);
  expect(textsOf(view)).toEqual(['Are you there?', 'Here.']);
  expect((await transcript(api, id)).map(textOf)).toEqual(['Are you there?', 'Here.']);
});

it('[CHT4] an answer that ended while nobody was connected is read again', async () => {
  const held = gate(10);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }] });
  const { chat, cut, hold, until, views } = await connect();
  chat.send('Go on');
  await until(writes);
  hold(true);
  cut();
  held.release();
  await expect.poll(async () => (await transcript(api, id)).map(textOf)).toEqual(['Go on', LONG]);
  hold(false);
  const view = await until((one) => answered(one) && one.state === 'live');
  expect(textsOf(view)).toEqual(['Go on', LONG]);
  expectGrowth(views, 1, LONG);
});

it('[CHT5] other devices follow from the beginning, from the middle, and see what is cleared', async () => {
  const held = gate(10);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }] });
  const [one, other] = [await connect(), await connect()];
  one.chat.send('Both');
  await other.until(writes);
  const late = await connect();
  await late.until(writes);
  held.release();
  for (const { until, views } of [one, other, late]) {
    expect(textsOf(await until(answered))).toEqual(['Both', LONG]);
    expectGrowth(views, 1, LONG);
  }
  await late.chat.clear();
  for (const { until } of [one, other, late]) {
    const view = await until(({ messages }) => messages?.length === 0);
    expect(view.busy).toBe(false);
  }
});

it('[CHT6] stop keeps what was said; a new message stops what is on its way and comes after it', async () => {
  const [first, second] = [gate(4), gate(4)];
  const turn = { text: LONG, chunk: 6 };
  server.play({
    script: [{ ...turn, gate: first }, { ...turn, gate: second }, { text: 'Newer.' }],
  });
  const { chat, until } = await connect();
  chat.send('Stop me');
  await until(writes);
  chat.stop();
  const stopped = await until(({ busy }) => !busy);
  const [, part = ''] = textsOf(stopped);
  expect(LONG.startsWith(part) && part !== '').toBe(true);
  chat.send('Again');
  await until((view) => writes(view) && textsOf(view).length === 4);
  chat.send('Rather this');
  const view = await until((now) => answered(now) && textsOf(now).at(-1) === 'Newer.');
  const texts = textsOf(view);
  expect([texts[0], texts[2], texts[4]]).toEqual(['Stop me', 'Again', 'Rather this']);
  expect(LONG.startsWith(texts[3] ?? '')).toBe(true);
  expect((await transcript(api, id)).map(textOf)).toEqual(texts);
  first.release();
  second.release();
});

it('[CHT6] clearing in mid-stream leaves nothing behind', async () => {
  const held = gate(4);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }, { text: 'Afresh.' }] });
  const { chat, until } = await connect();
  chat.send('Forget this');
  await until(writes);
  await chat.clear();
  expect(chat.view()).toMatchObject({ messages: [], busy: false, writing: null });
  held.release();
  chat.send('And now?');
  expect(textsOf(await until(answered))).toEqual(['And now?', 'Afresh.']);
});

it('[CHT7] failures stand in the chat; what is refused comes back with the reason', async () => {
  const down = { fault: { kind: 'status', status: 400, message: 'no such thing' } } as const;
  server.play({ script: [down, down] });
  const { chat, until, refused } = await connect();
  chat.send('Fail');
  const view = await until(answered);
  expect(view.messages?.at(-1)?.parts).toMatchObject([
    { type: 'data-error', data: { code: 'model' } },
  ]);
  chat.send(' ');
  const after = await until(({ busy, messages }) => !busy && messages?.length === 2);
  expect(textsOf(after)).toEqual(['Fail', '']);
  expect(refused).toMatchObject([{ text: ' ', reason: expect.stringContaining('empty') }]);
});

it('[CHT7] a chat that is not there is not asked for again', async () => {
  const followed = followChat(
    instance,
    id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
  );
  open.push(followed);
  const view = await followed.until(({ state }) => state === 'gone');
  expect(view.error?.code).toBe('not_found');
});
