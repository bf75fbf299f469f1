import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiteclawImported } from '@filepath/protocol';
import { chatFileRef } from '@filepath/protocol/chat';
import { type Api, type ModelServer, tempDir } from '@filepath/testkit';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { importChat } from '../packages/cli/src/commands/import.ts';
import { recordedIo } from '../packages/cli/test/io.ts';
import { linesOf, messages, newKey, sample, thread } from '../packages/protocol/test/sky/sample.ts';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { ChatClient, exported, type Message, transcript, user } from './chat-support.ts';

const KEY = 'key-of-a-provider-0123456789';
/** A picture of one dot. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SHA = createHash('sha256').update(Buffer.from(PNG, 'base64')).digest('hex');

let chats: ChatInstance;
let server: ModelServer;
let api: Api;
let id: string;
const clients: ChatClient[] = [];

beforeAll(async () => {
  chats = await startChatInstance({
    OPENAI_API_KEY: KEY,
    LITECLAW_MESSAGES_PER_MINUTE: '200',
  });
  ({ server, api, id } = chats);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
});

afterAll(async () => {
  await chats?.[Symbol.asyncDispose]();
});

function connect(of: ChatInstance = chats): ChatClient {
  const client = new ChatClient(of.instance, of.id);
  clients.push(client);
  return client;
}

/** As `useAgentChat` sends a file: its bytes in the message. */
const inline = (base64: string, mediaType: string, filename: string) => ({
  type: 'file',
  mediaType,
  filename,
  url: `data:${mediaType};base64,${base64}`,
});
const gave = (text: string, ...parts: Message['parts']): Message => ({
  ...user(text),
  parts: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts],
});
const text = (of: string): string => Buffer.from(of).toString('base64');
const sent = (): string => server.calls.at(-1)?.request.raw ?? '';
const get = (path: string): Promise<Response> => api.call('GET', `/agents/chat/${id}/file/${path}`);

it('[CFILE2] a picture of the SDK’s client is a ref in transcript, log and export', async () => {
  server.play({ script: [{ text: 'A dot.' }, { text: 'Still a dot.' }] });
  const client = connect();
  const said = gave('What is this?', inline(PNG, 'image/png', 'dot.png'));
  expect(await client.say([said])).toMatchObject({ text: 'A dot.', error: null });
  expect(sent()).toContain(PNG);
  const [stored] = await transcript(api, id);
  const ref = chatFileRef(id, SHA);
  const part = { type: 'file', mediaType: 'image/png', filename: 'dot.png', url: ref };
  expect(stored?.parts).toEqual([{ type: 'text', text: 'What is this?' }, part]);
  const response = await get(SHA);
  expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(PNG);
  // The client repeats what it has: the bytes are the same file.
  const known = await transcript(api, id);
  const again = await client.say([said, ...known.slice(1), user('And now?')]);
  expect(again).toMatchObject({ text: 'Still a dot.', error: null });
  expect(sent()).toContain(PNG);
  const found = await exported(api, id);
  expect(found.text).not.toContain(PNG);
  const skyPart = { type: 'ref', ref, media_type: 'image/png', filename: 'dot.png' };
  expect(found.messages[0]?.content).toEqual([{ type: 'text', text: 'What is this?' }, skyPart]);
  const row = found.rows.find(({ source }) => source === 'user');
  expect(row?.body).toMatchObject({ content: 'What is this?', files: [skyPart] });
  const input = JSON.stringify(['What is this?', skyPart]);
  expect(found.receipts[0]?.input_hash).toBe(createHash('sha256').update(input).digest('hex'));
});

it('[CFILE1] a picture alone is a message, also one of three megabytes', async () => {
  server.play({ script: [{ text: 'Seen.' }] });
  const large = Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(3_000_000)]);
  const part = inline(large.toString('base64'), 'image/png', 'large.png');
  expect(await connect().say([gave('', part)])).toMatchObject({ text: 'Seen.', error: null });
  expect(sent().length).toBeGreaterThan(4_000_000);
});

it('[CFILE5] [CFILE7] a text is sent as text, and what is gone is said in words until it is kept again', async () => {
  server.play({ script: [{ text: 'Milk.' }] });
  const file = inline(text('- milk\n- bread'), 'text/markdown', 'list.md');
  await connect().say([gave('What is on it?', file)]);
  expect(server.calls.at(-1)?.request.lastText).toContain('- milk\n- bread');
  const before = await exported(api, id);
  await api.call('POST', '/api/liteclaw', { action: 'reset' });
  const { ref } = before.messages[0]?.content.find((part) => part.type === 'ref') ?? { ref: '' };
  using dir = tempDir('chat-files');
  const exportFile = join(dir.path, 'chat.jsonl');
  writeFileSync(exportFile, before.text);
  const io = recordedIo('', { ...process.env, FILEPATH_HOME: chats.instance.home });
  expect(await importChat([exportFile], io)).toBe(0);
  expect(io.errors).toEqual([`not here: ${ref}`]);
  server.play({ script: [{ text: 'I cannot see it.' }, { text: 'Milk again.' }] });
  const client = connect();
  const known = await transcript(api, id);
  const answer = await client.say([...known, user('And now?')]);
  expect(answer).toMatchObject({ text: 'I cannot see it.', error: null });
  expect(sent()).toContain('is not kept here any more');
  // The same file again is there again, in the message that named it.
  const kept = await fetch(`${api.url}/agents/chat/${id}/file`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'text/markdown' },
    body: '- milk\n- bread',
  });
  expect(kept.status).toBe(201);
  await client.say([...(await transcript(api, id)), user('And again?')]);
  expect(sent()).toContain(String.raw`- milk\n- bread`);
  expect((await exported(api, id)).messages[0]).toEqual(before.messages[0]);
});

it('[CFILE3] what is no file of this chat is refused, and nothing of it is stored', async () => {
  const calls = server.calls.length;
  const file = { type: 'file', mediaType: 'image/png', filename: 'x.png' };
  for (const url of [
    `${server.url}/picture.png`,
    chatFileRef(id, SHA),
    chatFileRef('th_zzzzzzzzzzzzzzzzzzzzzzzzzz', SHA),
  ]) {
    const { error } = await connect().say([gave('Look', { ...file, url })]);
    expect(error).toMatch(/^This was not sent: x\.png is (no file of this chat|an address)/);
  }
  expect(await transcript(api, id)).toEqual([]);
  expect(server.calls).toHaveLength(calls);
});

it('[CFILE3] [CFILE7] refs of an import lead to nothing that it does not have', async () => {
  await using other = await startChatInstance();
  const headers = { authorization: `Bearer ${other.api.token}` };
  const kept = await fetch(`${other.api.url}/agents/chat/${other.id}/file`, {
    method: 'POST',
    headers,
    body: Buffer.from(PNG, 'base64'),
  });
  expect(kept.status).toBe(201);
  const refs = [
    chatFileRef(other.id, SHA),
    chatFileRef(thread, SHA),
    `r2://filepath-blobs/chats/${other.id}/attachments/${SHA}#sha256=${'a'.repeat(64)}`,
  ];
  const [asked, ...rest] = messages;
  if (!asked) throw new Error('no message');
  const content = refs.map((ref) => ({ type: 'ref' as const, ref, media_type: 'image/png' }));
  const source = sample({ messages: [{ ...asked, content }, ...rest], memory: null });
  const body = (await linesOf(source, newKey())).join('');
  const answer = await fetch(`${other.api.url}/agents/chat/${thread}/import`, {
    method: 'POST',
    headers,
    body,
  });
  expect(answer.status).toBe(201);
  expect(LiteclawImported.parse(await answer.json()).missingFiles).toEqual(refs);
  const path = `/agents/chat/${thread}/file/${SHA}`;
  expect((await other.api.call('GET', path)).status).toBe(404);
  other.server.play({ script: [{ text: 'I see nothing.' }] });
  const known = await transcript(other.api, thread);
  const client = new ChatClient(other.instance, thread);
  clients.push(client);
  const said = await client.say([...known, user('Look')]);
  expect(said).toMatchObject({ text: 'I see nothing.', error: null });
  const raw = other.server.calls.at(-1)?.request.raw ?? '';
  expect(raw.match(/is not kept here any more/g)).toHaveLength(3);
  expect(raw).not.toContain(PNG);
});

it('[CFILE5] a model that refuses pictures is told so and answers', async () => {
  server.play({
    script: ({ raw }) =>
      raw.includes(PNG)
        ? { fault: { kind: 'status', status: 400, message: 'no image input' } }
        : { text: 'I cannot see pictures.' },
  });
  const said = gave('Look', inline(PNG, 'image/png', 'dot.png'));
  const answer = await connect().say([said]);
  expect(answer).toMatchObject({ text: 'I cannot see pictures.', error: null });
  expect(sent()).toContain('which you cannot be shown');
});

it.each([
  ['openai/gpt-5.4', 'openai-responses'],
  ['openrouter/meta-llama/llama-4', 'openai-chat'],
])('[CFILE5] %s sees the picture in its own format', async (model, format) => {
  await using other = await startChatInstance(
    { LITECLAW_MODEL: model, OPENAI_API_KEY: KEY, OPENROUTER_API_KEY: KEY },
    (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  );
  other.server.play({ script: [{ text: 'A dot.' }] });
  const said = gave('Look', inline(PNG, 'image/png', 'dot.png'));
  const answer = await connect(other).say([said]);
  expect(answer).toMatchObject({ text: 'A dot.', error: null });
  const request = other.server.calls.at(-1)?.request;
  expect(request?.format).toBe(format);
  expect(request?.raw).toContain(`data:image/png;base64,${PNG}`);
});
