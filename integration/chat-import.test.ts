import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiteclawImported } from '@filepath/protocol';
import {
  Api,
  type Instance,
  type ModelServer,
  startInstance,
  startModelServer,
  tempDir,
} from '@filepath/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { exportThread } from '../packages/cli/src/commands/export.ts';
import { importChat } from '../packages/cli/src/commands/import.ts';
import { verify } from '../packages/cli/src/commands/verify.ts';
import { recordedIo } from '../packages/cli/test/io.ts';
import {
  ChatClient,
  exported,
  type Message,
  spawn,
  textOf,
  transcript,
  user,
} from './chat-support.ts';

const KEY = 'key-of-a-provider-0123456789';
const dir = tempDir('filepath-import');
const SOON = 60_000;

let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;

const start = (): Promise<Instance> =>
  startInstance({
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: server.url,
    OPENROUTER_BASE_URL: `${server.url}/api/v1`,
    LITECLAW_MODEL: 'anthropic/claude-haiku-4.5',
    LITECLAW_MESSAGES_PER_MINUTE: '200',
    LITECLAW_TURNS: '2',
  });

beforeAll(async () => {
  server = await startModelServer({ script: [], keys: [KEY] });
  server.play({ script: ({ lastText }) => ({ text: `Answer to ${lastText}`, chunk: 4 }) });
  instance = await start();
  api = new Api(instance);
  id = (await spawn(api)).id ?? '';
});

afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await server?.close();
  dir.remove();
});

async function talk(of: Instance, chat: string, ...texts: string[]): Promise<Message[]> {
  const client = new ChatClient(of, chat);
  const its = new Api(of);
  let known = await transcript(its, chat);
  for (const text of texts) {
    await client.say([...known, user(text)]);
    const length = known.length + 2;
    known = await vi.waitFor(async () => {
      const stored = await transcript(its, chat);
      expect(stored).toHaveLength(length);
      return stored;
    }, SOON);
  }
  client.close();
  return known;
}

const post = (to: Api, chat: string, body: string): Promise<Response> =>
  fetch(`${to.url}/agents/chat/${chat}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/x-ndjson' },
    body,
  });

const reset = () => api.call('POST', '/api/liteclaw', { action: 'reset' });

it('[CLAW25] an export comes back whole into the chat that was reset, and goes on', async () => {
  const stored = await talk(
    instance,
    id,
    'one',
    'two',
    'three',
    'four',
    'five',
    'six',
    'seven',
    'eight',
  );
  const before = await vi.waitFor(async () => {
    const found = await exported(api, id);
    expect(found.memory).not.toBeNull();
    return found;
  }, SOON);
  await reset();
  const response = await post(api, id, before.text);
  expect(response.status).toBe(201);
  expect(LiteclawImported.parse(await response.json())).toMatchObject({
    id,
    messages: stored.length,
    signedBy: before.end.public_key,
  });
  expect(await transcript(api, id)).toEqual(stored);
  const after = await exported(api, id);
  expect(after.messages).toEqual(before.messages);
  expect(after.rows.slice(0, -1)).toEqual(before.rows);
  expect(after.rows.at(-1)?.body).toMatchObject({
    type: 'import',
    signed_by: before.end.public_key,
  });
  expect(after.receipts).toEqual(before.receipts);
  expect(after.memory).toEqual(before.memory);
  const later = await talk(instance, id, 'and on');
  expect(later.slice(0, -2)).toEqual(stored);
  expect((await exported(api, id)).receipts).toHaveLength(before.receipts.length + 1);
});

it('[CLAW25] refuses what is not right by its line, and then nothing of it is there', async () => {
  const { text } = await exported(api, id);
  const full = await post(api, id, text);
  expect(full.status).toBe(409);
  await reset();
  const lines = text.trimEnd().split('\n');
  const changed = lines.with(4, (lines[4] ?? '').replace('one', 'two').replace('An', 'an'));
  const without = lines.slice(0, -1);
  const wrong: [string, RegExp][] = [
    [`${changed.join('\n')}\n`, /line 5: it is changed/],
    [`${without.join('\n')}\n`, /line \d+: the tail is cut/],
    ['hello\n', /line 1: /],
    ['', /line 1: /],
  ];
  for (const [body, reason] of wrong) {
    const response = await post(api, id, body);
    expect(await response.text()).toMatch(reason);
    expect(response.status).toBe(400);
    expect(await transcript(api, id)).toEqual([]);
  }
  const other = `th_${'0'.repeat(22)}`;
  expect((await post(api, other, text)).status).toBe(404);
  expect((await post(api, id, text)).status).toBe(201);
});

it('[CLAW26] filepath export, verify and import carry a chat to another instance', async () => {
  const stored = await transcript(api, id);
  const file = join(dir.path, 'chat.jsonl');
  const here = recordedIo('', { ...process.env, FILEPATH_HOME: instance.home });
  expect(await exportThread([id, '-o', file], here)).toBe(0);
  const check = recordedIo();
  expect(await verify([file], check)).toBe(0);
  expect(check.said[0]).toContain(`of ${id}`);
  await using second = await start();
  const its = new Api(second);
  // An empty one gives way.
  await spawn(its);
  const there = recordedIo('', { ...process.env, FILEPATH_HOME: second.home });
  const bad = join(dir.path, 'bad.jsonl');
  writeFileSync(bad, 'nothing\n');
  expect(await importChat([bad], there)).toBe(1);
  expect(there.errors.join('\n')).toMatch(/Nothing was imported: line 1/);
  expect(await importChat([file], there)).toBe(0);
  expect(there.said.join('\n')).toContain(`imported ${stored.length} messages`);
  expect(await transcript(its, id)).toEqual(stored);
  expect(await spawn(its)).toMatchObject({ id, state: 'ready' });
  expect(await importChat([file], there)).toBe(1);
  const later = await talk(second, id, 'here too');
  expect(textOf(later.at(-1) ?? user(''))).toBe('Answer to here too');
});
