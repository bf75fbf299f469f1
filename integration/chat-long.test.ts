import { readFileSync } from 'node:fs';
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

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Milliseconds of CPU that the engine has used: what else the machine does is not in them. */
function engineMs(): number {
  const stat = readFileSync(`/proc/${instance.enginePid()}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // In the user's and the system's name, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

it(
  '[CLAW27] a long chat stays as it was, and knows what was said at its beginning',
  { timeout: 600_000 },
  async () => {
    const { turns, sent, recalled } = await longChat(
      { instance, api, id, server },
      MESSAGES,
      undefined,
      engineMs,
    );
    expect(recalled).toBe('Biscuit');
    expect((await transcript(api, id)).length).toBeLessThanOrEqual(200);
    const { memory, messages, receipts } = await exported(api, id);
    expect(memory?.summary).toBe('They spoke of numbers.');
    expect(messages).toHaveLength(MESSAGES);
    expect(receipts).toHaveLength(MESSAGES / 2);
    // Once the last turns are full, what is sent grows no more.
    const settled = Math.max(...sent.slice(60, 100));
    expect(Math.max(...sent.slice(-40))).toBeLessThan(settled * 1.1);
    expect(sum(turns.slice(-40))).toBeLessThan(3 * sum(turns.slice(100, 140)));
  },
);
