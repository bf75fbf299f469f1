import { type Api, type Instance, type ModelServer } from '@filepath/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { longChat } from './chat-long.ts';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { exported, transcript } from './chat-support.ts';

/** The bench has one of 10,000. */
const MESSAGES = 360;

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;

beforeAll(async () => {
  chats = await startChatInstance({
    LITECLAW_MESSAGES_PER_MINUTE: '10000',
  });
  ({ server, instance, api, id } = chats);
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

it('[CLAW27] a long chat stays as it was, and knows what was said at its beginning', async () => {
  const { turns, sent, recalled } = await longChat({ instance, api, id, server }, MESSAGES);
  expect(recalled).toBe('Biscuit');
  expect((await transcript(api, id)).length).toBeLessThanOrEqual(200);
  const { memory, messages, receipts } = await exported(api, id);
  expect(memory?.summary).toBe('They spoke of numbers.');
  expect(messages).toHaveLength(MESSAGES);
  expect(receipts).toHaveLength(MESSAGES / 2);
  // Once the last turns are full, what is sent grows no more.
  const settled = Math.max(...sent.slice(60, 100));
  expect(Math.max(...sent.slice(-40))).toBeLessThan(settled * 1.1);
  // Three times the median, for whatever else the machine does.
  expect(median(turns.slice(-40))).toBeLessThan(3 * median(turns.slice(100, 140)));
});
