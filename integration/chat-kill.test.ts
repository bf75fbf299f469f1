import { type Api, gate, type Instance, type ModelServer } from '@filepath/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { ChatClient, isDelta, type Message, textOf, transcript, user } from './chat-support.ts';

const LONG = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');

const REST = ' and the rest.';

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;

beforeAll(async () => {
  chats = await startChatInstance();
  ({ server, instance, api, id } = chats);
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
});

/** Waits until the last message of the transcript is an answer that nothing is added to any more. */
async function answered(): Promise<Message[]> {
  return vi.waitFor(
    async () => {
      const stored = await transcript(api, id);
      expect(stored.at(-1)?.role).toBe('assistant');
      expect(stored.at(-1)?.parts.some(({ state }) => state === 'streaming')).toBe(false);
      return stored;
    },
    { timeout: 90_000, interval: 250 },
  );
}

it('[CLAW11] a kill in mid-stream: the answer goes on where it ended', async () => {
  const held = gate(150);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }, { text: REST }] });
  const client = new ChatClient(instance, id);
  const shown = client.frame((frame) => isDelta(frame) && Number(frame['seq']) >= 140);
  const reading = await client.send([user('Tell me a lot')]);
  await shown;
  await instance.killEngine();
  client.close();
  await reading.cancel().catch(() => undefined);
  const stored = await answered();
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant']);
  const text = textOf(stored[1] ?? user(''));
  expect(text.endsWith(REST)).toBe(true);
  const kept = text.slice(0, -REST.length);
  expect(kept.length).toBeGreaterThan(0);
  expect(LONG.startsWith(kept)).toBe(true);
  expect(server.calls.at(-1)?.request.lastText).toContain('Go on exactly where it ended');
});

it('[CLAW11] a kill before the first word: the message is answered after all', async () => {
  const held = gate(0);
  server.play({ script: [{ text: 'Never.', gate: held }, { text: 'Here I am.' }] });
  const before = await transcript(api, id);
  const client = new ChatClient(instance, id);
  const reading = await client.send([...before, user('And now?')]);
  await held.reached;
  await instance.killEngine();
  client.close();
  await reading.cancel().catch(() => undefined);
  const stored = await answered();
  expect(stored.slice(before.length).map(textOf)).toEqual(['And now?', 'Here I am.']);
});
