import { type Api, chance, gate, type Instance, type ModelServer } from '@filepath/testkit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { verify } from '../packages/cli/src/commands/verify.ts';
import { recordedIo } from '../packages/cli/test/io.ts';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import {
  ChatClient,
  exported,
  isDelta,
  type Message,
  read,
  textOf,
  transcript,
  user,
} from './chat-support.ts';

const LONG = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
const FLIPS = 300;
const SOON = 60_000;

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;
const clients: ChatClient[] = [];

beforeAll(async () => {
  chats = await startChatInstance({
    LITECLAW_MESSAGES_PER_MINUTE: '200',
    LITECLAW_TURNS: '2',
  });
  ({ server, instance, api, id } = chats);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
});

function connect(): ChatClient {
  const client = new ChatClient(instance, id);
  clients.push(client);
  return client;
}

/** Says one thing after the other; the transcript after that. */
async function talk(...texts: string[]): Promise<Message[]> {
  const client = connect();
  let known = await transcript(api, id);
  for (const [at, text] of texts.entries()) {
    await client.say([...known, user(text)]);
    const length = known.length + 2;
    known = await vi.waitFor(async () => {
      const stored = await transcript(api, id);
      expect(stored, `message ${at}`).toHaveLength(length);
      return stored;
    }, SOON);
  }
  return known;
}

async function verdict(bytes: string | Uint8Array) {
  const io = recordedIo(bytes);
  const code = await verify(['-'], io);
  return { code, said: io.said.join('\n') };
}

it('[CLAW23] a chat is exported whole, with a run of every turn, signed', async () => {
  server.play({ script: ({ lastText }) => ({ text: `Answer to ${lastText}`, chunk: 4 }) });
  const stored = await talk('one', 'two', 'three');
  const { text, lines, events, receipts, messages } = await exported(api, id);
  expect((await verdict(text)).said).toContain(`of ${id}`);
  expect(messages.map((message) => message.id)).toEqual(stored.map((message) => message.id));
  const runs = receipts.map(({ run_id }) => run_id);
  expect(new Set(runs).size).toBe(3);
  expect(messages.map(({ run_id }) => run_id)).toEqual(runs.flatMap((run) => [run, run]));
  expect(receipts.every(({ status }) => status === 'completed')).toBe(true);
  for (const [at, run] of runs.entries()) {
    const said = events.filter(({ run_id }) => run_id === run);
    expect(said[0]).toMatchObject({ type: 'run.started', message_id: stored[at * 2]?.id });
    expect(said.at(-1)?.type).toBe('run.completed');
    const written = said.flatMap((event) => (event.type === 'model.delta' ? [event.delta] : []));
    const answer = textOf(stored[at * 2 + 1] ?? user(''));
    expect(written.join('')).toBe(answer);
    expect(said.find(({ type }) => type === 'model.completed')).toMatchObject({ output: answer });
  }
  expect(lines.at(-1)).toMatchObject({ type: 'end' });
});

it('[CLAW20] stopped, superseded and failed turns end their runs with that', async () => {
  const held = gate(4);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }] });
  const client = connect();
  let begun = client.frame(isDelta);
  const stopped = read(await client.send([user('Stop me')]));
  await begun;
  const over = client.frame(({ outcome }) => outcome === 'aborted');
  client.transport.cancelActiveServerTurn();
  await over;
  held.release();
  await stopped;
  await vi.waitFor(async () => expect((await exported(api, id)).receipts).toHaveLength(1), SOON);

  const again = gate(4);
  server.play({ script: [{ text: LONG, chunk: 6, gate: again }, { text: 'Now.' }] });
  begun = client.frame(isDelta);
  const superseded = client.send([...(await transcript(api, id)), user('Wait')]).then(read);
  await begun;
  const next = client.say([...(await transcript(api, id)), user('No, this')]);
  await vi.waitFor(
    async () => expect((await exported(api, id)).receipts.length).toBeGreaterThan(1),
    SOON,
  );
  again.release();
  await Promise.all([superseded, next]);

  server.play({ script: () => ({ text: '' }) });
  await client.say([...(await transcript(api, id)), user('Fail')]);
  const { receipts, events } = await exported(api, id);
  expect(receipts.map(({ status }) => status)).toEqual([
    'stopped',
    'superseded',
    'completed',
    'error',
  ]);
  const errors = events.flatMap((event) => (event.type === 'run.error' ? [event.error_code] : []));
  expect(errors).toEqual(['stopped', 'superseded', 'empty']);
  for (const event of events)
    if (event.type === 'model.delta') expect(`${LONG} Now.`).toContain(event.delta);
});

it(`[CLAW24] any byte of an export that is changed is found by verify`, async () => {
  const luck = chance('flipped bytes of an export');
  server.play({ script: () => ({ text: 'Ça va — 好的. "quoted"\\', chunk: 3 }) });
  await talk('one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight');
  const { text } = await vi.waitFor(async () => {
    const found = await exported(api, id);
    expect(found.memory).not.toBeNull();
    return found;
  }, SOON);
  const bytes = new TextEncoder().encode(text);
  expect((await verdict(bytes)).code).toBe(0);
  for (let round = 0; round < FLIPS; round += 1) {
    const at = luck.below(bytes.length);
    const changed = bytes.slice();
    changed[at] = (changed[at] ?? 0) ^ (1 + luck.below(255));
    const { code, said } = await verdict(changed);
    expect(said, `byte ${at}`).toMatch(/^FAULT: /);
    expect(code, `byte ${at}`).toBe(1);
  }
});

it('[CLAW22] after a reset the log goes on, and what was said is in no export', async () => {
  server.play({ script: () => ({ text: 'A secret answer.' }) });
  await talk('a secret question');
  const before = await exported(api, id);
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
  const after = await exported(api, id);
  expect(after.text).not.toContain('secret');
  expect(after.header.after).toEqual(before.end.log);
  expect(after.rows.map(({ body }) => body)).toEqual([{ type: 'reset', after: before.end.log }]);
  await talk('something else');
  const later = await exported(api, id);
  expect((await verdict(later.text)).code).toBe(0);
  expect(later.receipts).toHaveLength(1);
});
