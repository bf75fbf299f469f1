import { type Api, chance, gate, type Instance, type ModelServer } from '@filepath/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type ChatInstance, startChatInstance } from '../integration/chat-instance.ts';
import {
  ChatClient,
  exported,
  isDelta,
  type Message,
  read,
  textOf,
  transcript,
  user,
} from '../integration/chat-support.ts';

const CUTS = 50;
const KILLS = 30;

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;

beforeAll(async () => {
  chats = await startChatInstance({
    LITECLAW_MESSAGES_PER_MINUTE: '10000',
    LITECLAW_TURNS: '200',
  });
  ({ server, instance, api, id } = chats);
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
});

const words = (round: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `r${round}w${at}`).join(' ');

it('[CLAW4] random cuts of the connection lose and repeat nothing', async () => {
  const luck = chance('cuts of a chat');
  const client = new ChatClient(instance, id);
  let known: Message[] = [];
  for (let round = 1; round <= CUTS; round += 1) {
    const text = words(round, 60 + luck.below(120));
    // The stream is held while the connection is cut, and ends while its reader asks for it again.
    const held = gate(luck.below(60));
    server.play({ script: () => ({ text, chunk: 1 + luck.below(4), gate: held }) });
    let reading = read(await client.send([...known, user(`round ${round}`)]));
    for (let cut = luck.below(3); cut >= 0; cut -= 1) {
      const at = luck.below(60);
      const moment = client.frame((frame) => isDelta(frame) && Number(frame['seq'] ?? 0) >= at);
      await Promise.race([moment, held.reached]);
      await client.cut();
      expect((await reading).error).toBe('WebSocket closed mid-stream');
      const resumed = await client.resume();
      if (!resumed) throw new Error(`round ${round}: there is nothing to follow`);
      reading = read(resumed);
    }
    held.release();
    expect(await reading).toMatchObject({ text, error: null });
    known = await vi.waitFor(
      async () => {
        const stored = await transcript(api, id);
        expect(stored.slice(known.length).map(textOf)).toEqual([`round ${round}`, text]);
        return stored;
      },
      { timeout: 120_000, interval: 20 },
    );
  }
  client.close();
});

it('[CLAW11] [CLAW20] after random kills every message has its answer, and the log no gap', async () => {
  const luck = chance('kills of a chat');
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
  const said: Message[] = [];
  for (let round = 1; round <= KILLS; round += 1) {
    const before = server.calls.length;
    const text = words(round, 200);
    server.play({
      script: () =>
        server.calls.length <= before + 1
          ? { text, chunk: 6, dripMs: 2 }
          : { text: `rest of ${round}` },
    });
    const known = await transcript(api, id);
    const message = user(`round ${round}`);
    said.push(message);
    const client = new ChatClient(instance, id);
    const at = luck.below(200);
    const moment = client.frame((frame) => isDelta(frame) && Number(frame['seq'] ?? 0) >= at);
    const reading = read(await client.send([...known, message]));
    // Now and then before anything has come back.
    if (luck.below(4) > 0) await Promise.race([moment, reading]);
    else
      await expect
        .poll(async () => (await transcript(api, id)).length)
        .toBeGreaterThan(known.length);
    await instance.killEngine();
    client.close();
    await reading;
    await vi.waitFor(
      async () => {
        const stored = await transcript(api, id);
        const [asked, answered] = stored.slice(-2);
        expect(asked?.id).toBe(message.id);
        expect(answered?.role).toBe('assistant');
        expect(answered?.parts.some(({ state }) => state === 'streaming')).toBe(false);
      },
      { timeout: 180_000, interval: 200 },
    );
  }
  const stored = await transcript(api, id);
  expect(stored.filter(({ role }) => role === 'user').map(({ id: one }) => one)).toEqual(
    said.map(({ id: one }) => one),
  );
  expect(stored.map(({ role }) => role)).toEqual(said.flatMap(() => ['user', 'assistant']));
  for (const one of stored) expect(one.parts.length).toBeGreaterThan(0);

  // Read as an export is: a number that is missing or doubled, a broken chain or runs out of order would end it.
  const { rows, events, receipts, messages, open } = await exported(api, id);
  expect(open).toBeNull();
  const first = rows[0]?.seq ?? 0;
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => first + at));
  expect(messages.map((one) => one.id)).toEqual(stored.map((one) => one.id));
  expect(receipts.map(({ run_id }) => run_id)).toEqual(
    events.flatMap((event) => (event.type === 'run.started' ? [event.run_id] : [])),
  );
  const lost = receipts.filter(({ status }) => status === 'lost');
  expect(lost.length).toBeGreaterThan(0);
  for (const { id: message } of said) {
    const runs = events.filter(
      (event) => event.type === 'run.started' && event.message_id === message,
    );
    const last = receipts.find(({ run_id }) => run_id === runs.at(-1)?.run_id);
    expect(['completed', 'lost', 'error']).toContain(last?.status);
    const answer = messages[messages.findIndex((one) => one.id === message) + 1];
    if (last?.status !== 'completed')
      expect(answer?.content.some((part) => part.type === 'json')).toBe(true);
    expect(rows.filter(({ body }) => isSaying(body, message))).toHaveLength(1);
  }
});

const isSaying = (body: unknown, message: string): boolean =>
  typeof body === 'object' &&
  body !== null &&
  Reflect.get(body, 'type') === 'message' &&
  Reflect.get(body, 'id') === message;
