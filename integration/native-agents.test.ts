import {
  addTokens,
  GatewayCall,
  Memory,
  type ModelPrice,
  ModelList,
  NO_TOKENS,
  Node,
  Session,
  type TokenCounts,
} from '@filepath/protocol';
import {
  Api,
  follow,
  type Instance,
  isType,
  makeRepo,
  type ModelRequest,
  type ModelServer,
  startInstance,
  startModelServer,
  tempDir,
  type Turn,
} from '@filepath/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

/** Every kind of tool, in ten steps; the child that the eighth asks for says one thing. */
const STEPS: readonly Turn[] = [
  { text: 'I look around.', tools: [{ name: 'list_files', input: {} }], chunk: 5 },
  {
    tools: [
      { name: 'read_file', input: { path: 'README.md' } },
      { name: 'read_file', input: { path: 'src/hello.txt' } },
    ],
    usage: { cacheRead: 1_000 },
  },
  { tools: [{ name: 'search', input: { pattern: 'hel+o' } }] },
  { tools: [{ name: 'write_file', input: { path: 'docs/new.md', content: 'one\ntwo\n' } }] },
  { tools: [{ name: 'edit_file', input: { path: 'docs/new.md', old: 'two', new: 'three' } }] },
  { reasoning: 'hm', tools: [{ name: 'bash', input: { command: 'echo out; exit 3' } }] },
  { tools: [{ name: 'git', input: { action: 'commit', message: 'docs: add a page' } }] },
  { tools: [{ name: 'spawn_agent', input: { name: 'helper', task: 'child: say hello' } }] },
  {
    tools: [
      { name: 'remember', input: { content: 'The page is docs/new.md.' } },
      // What is waited for comes as no message, which would be one more step.
      { name: 'wait_children', input: {} },
    ],
  },
  { text: 'There is a new page, committed.', chunk: 7 },
];

/** What Pi does, who can change nothing. */
const READING: readonly Turn[] = STEPS.map((turn) =>
  (turn.tools ?? []).some(({ name }) => /write|edit|bash|git/.test(name))
    ? { tools: [{ name: 'git', input: { action: 'log' } }] }
    : turn,
);

function script({ messages, replies, system }: ModelRequest): Turn {
  if (messages[0]?.text.includes('child: say hello')) return { text: 'Hello.' };
  return (system.includes('You are Pi') ? READING : STEPS)[replies] ?? { text: 'No more.' };
}

const KEY = 'key-of-a-provider';

function costOf({ input, output, cacheRead, cacheWrite }: TokenCounts, price: ModelPrice): number {
  const dollars =
    input * price.input +
    output * price.output +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input);
  return dollars / 1e6;
}

describe('Shelley and Pi in their sandboxes, by way of the gateway', () => {
  let server: ModelServer;
  let instance: Instance;
  let api: Api;
  const repo = tempDir('repo');

  beforeAll(async () => {
    makeRepo(repo.path);
    server = await startModelServer({ script, keys: [KEY] });
    instance = await startInstance({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: server.url,
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: `${server.url}/v1`,
      // Its list asks for a key too, so that prices are the built-in ones.
      OPENROUTER_BASE_URL: `${server.url}/api/v1`,
    });
    api = new Api(instance);
    const lab = { kind: 'openai-compatible', id: 'lab', baseUrl: `${server.url}/v1`, key: KEY };
    const prices = { 'llama-test': { input: 0.5, output: 1.5, cacheRead: 0.05 } };
    await api.json(z.unknown(), 'POST', '/api/providers', {
      ...lab,
      models: ['llama-test'],
      prices,
    });
  });

  afterAll(async () => {
    await instance[Symbol.asyncDispose]();
    await server.close();
    repo.remove();
  });

  it.each([
    ['shelley', 'anthropic/claude-haiku-4.5', 'anthropic'],
    ['shelley', 'openai/gpt-5.4', 'openai-responses'],
    ['shelley', 'lab/llama-test', 'openai-chat'],
    ['pi', 'anthropic/claude-haiku-4.5', 'anthropic'],
    ['pi', 'openai/gpt-5.4', 'openai-responses'],
    ['pi', 'lab/llama-test', 'openai-chat'],
  ] as const)(
    '[LOOP20] [LOOP21] %s does ten steps with %s; node and session count what the provider does',
    async (agentType, model, format) => {
      const before = server.calls.length;
      const { session, node } = await api.json(
        z.object({ session: Session, node: Node }),
        'POST',
        '/api/session',
        { gitRepoUrl: repo.path, root: { agentType, model } },
      );
      const feed = follow(instance, node.id);
      await api.message(node.id, 'Add a page.');
      const spawned = await feed.until(isType('spawned'));
      const child = follow(instance, String(Reflect.get(Object(spawned.body), 'node')));
      await Promise.all([feed.until(isType('done')), child.until(isType('done'))]);

      const { memories } = await api.json(
        z.object({ memories: z.array(Memory) }),
        'GET',
        `/api/memories?repository=${encodeURIComponent(repo.path)}`,
      );
      expect(memories).toMatchObject([
        { content: 'The page is docs/new.md.', source: { name: node.name, thread: node.id } },
      ]);

      const calls = server.calls.slice(before);
      expect(calls).toHaveLength(11);
      expect(new Set(calls.map(({ request }) => request.format))).toEqual(new Set([format]));
      expect(new Set(calls.map(({ request }) => request.key))).toEqual(new Set([KEY]));
      const counted = calls.map((call) => call.usage() ?? NO_TOKENS).reduce(addTokens, NO_TOKENS);

      const settled = async () => (await api.tree(session.id)).session.usage?.calls;
      await expect.poll(settled).toBe(11);
      const { nodes, session: total } = await api.tree(session.id);
      const root = nodes.find(({ id }) => id === node.id);
      expect(total.usage?.tokens).toEqual(counted);
      expect(root?.subtree.tokens).toEqual(counted);

      const { groups } = await api.json(ModelList, 'GET', '/api/models');
      const price = groups.flatMap((group) => group.models).find(({ id }) => id === model)?.price;
      expect(price).toBeTruthy();
      if (!price) return;
      expect(total.usage?.costUsd).toBeCloseTo(costOf(counted, price), 9);

      const told = () =>
        [...feed.events, ...child.events].flatMap(({ source, body }) =>
          source === 'gateway' ? [GatewayCall.parse(body)] : [],
        );
      // Threads are told of calls after they are counted.
      await expect.poll(() => told().length).toBe(11);
      const metered = told();
      expect(metered.map(({ outcome }) => outcome)).toEqual(Array(11).fill('completed'));
      expect(metered.map(({ tokens }) => tokens).reduce(addTokens, NO_TOKENS)).toEqual(counted);
      if (agentType === 'shelley') {
        await feed.until(({ source, body }) => source === 'runner' && isHead(body));
      }
      feed.close();
      child.close();
    },
  );
});

function isHead(body: unknown): boolean {
  return Reflect.get(Object(body), 'type') === 'head';
}
