import { LiteclawTools, LiteclawWorkspace } from '@filepath/protocol';
import { type Api, type Instance, type ModelServer } from '@filepath/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { ChatClient, exported, user } from './chat-support.ts';

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

it('[TUN13] a command of a chat runs in a sandbox of the runner, with the events and receipts of every tool', async () => {
  const rules = { policy: 'read-write', executor: 'container' };
  const set = await api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', rules);
  expect(set.executor).toBe('container');
  // Whoever says nothing of it leaves it as it is.
  const left = { policy: 'read-write' };
  expect(await api.json(LiteclawTools, 'PUT', '/api/liteclaw/tools', left)).toEqual(set);
  server.play({
    script: [
      { tools: [{ name: 'write', input: { path: 'a.txt', text: 'b\na\n' } }] },
      { tools: [{ name: 'bash', input: { command: 'sort a.txt > sorted.txt; rm a.txt; id -u' } }] },
      { tools: [{ name: 'read', input: { path: 'sorted.txt' } }] },
      { text: 'Sorted.' },
    ],
  });
  const client = new ChatClient(instance, id);
  const { text } = await client.say([user('Sort it')]);
  client.close();
  expect(text).toBe('Sorted.');
  const { lines, events } = await exported(api, id);
  const receipts = lines.flatMap(({ type, body }) =>
    type === 'receipt' && body.type === 'receipt.tool' ? [body] : [],
  );
  const head = { executor: 'container', status: 'completed', deterministic: false };
  expect(receipts).toMatchObject([
    { tool_name: 'write', change: { path: 'a.txt', input_hash: null }, ...head },
    { tool_name: 'bash', ...head },
    { tool_name: 'read', ...head },
  ]);
  const results = events.flatMap((one) => (one.type === 'tool.result' ? [one.output] : []));
  expect(results).toMatchObject([
    { path: 'a.txt', created: true },
    { exit: 0, changed: ['sorted.txt'], removed: ['a.txt'] },
    { text: 'a\nb' },
  ]);
  const workspace = await api.json(LiteclawWorkspace, 'GET', '/api/liteclaw/workspace');
  expect(workspace.files).toEqual([{ path: 'sorted.txt', bytes: 4 }]);
});
