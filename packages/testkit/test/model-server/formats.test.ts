import { generateText, jsonSchema, streamText, type ToolSet } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { gate, type ModelServer, perConversation, startModelServer } from '../../src/index.ts';
import { READERS } from './readers.ts';

const TOOLS: ToolSet = {
  look: {
    description: 'looks',
    inputSchema: jsonSchema({ type: 'object', properties: { path: { type: 'string' } } }),
  },
};

const servers: ModelServer[] = [];

async function start(...of: Parameters<typeof startModelServer>): Promise<ModelServer> {
  const server = await startModelServer(...of);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe.each(READERS)('a client of %s', (format, model) => {
  it('reads text and reasoning that came whole', async () => {
    const server = await start({ script: [{ reasoning: 'hm, hm', text: 'hello you' }] });
    const read = await generateText({ model: model(server.url), prompt: 'hi', maxRetries: 0 });
    expect(read.text).toBe('hello you');
    expect(read.reasoningText).toBe('hm, hm');
    expect(read.finishReason).toBe('stop');
    expect(server.calls[0]?.request).toMatchObject({ format, lastText: 'hi', stream: false });
    expect(server.calls[0]?.request.key).toBe('key-of-a-test');
  });

  it('reads text in as many deltas as the turn wants', async () => {
    const server = await start({ script: [{ text: 'a bird ÄÖ🐦 in a tree', chunk: 3 }] });
    const read = streamText({ model: model(server.url), prompt: 'hi', maxRetries: 0 });
    const deltas: string[] = [];
    for await (const delta of read.textStream) deltas.push(delta);
    expect(deltas.join('')).toBe('a bird ÄÖ🐦 in a tree');
    expect(deltas).toHaveLength(7);
    expect(await server.calls[0]?.ended).toBe('completed');
  });

  it.each(['whole', 'streamed'])(
    'reads two calls of tools, %s, and its results are seen',
    async (how) => {
      const two = {
        text: 'I look.',
        tools: [
          { name: 'look', input: { path: 'a' } },
          { name: 'look', input: { path: 'b', deep: [1, { x: '"' }] } },
        ],
        chunk: 4,
      };
      const server = await start({ script: [two, { text: 'done' }] });
      const messages = [{ role: 'user' as const, content: 'look around' }];
      const asked = { model: model(server.url), tools: TOOLS, maxRetries: 0, system: 'be brief' };
      const first =
        how === 'whole'
          ? await generateText({ ...asked, messages })
          : streamText({ ...asked, messages });
      const calls = await first.toolCalls;
      expect(calls.map(({ toolName, input }) => [toolName, input])).toEqual(
        two.tools.map(({ name, input }) => [name, input]),
      );
      expect(await first.finishReason).toBe('tool-calls');
      const { messages: said } = await first.response;
      const results = calls.map(({ toolCallId, toolName, input }) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName,
        output: { type: 'text' as const, value: `saw ${(input as { path: string }).path}` },
      }));
      const second = await generateText({
        ...asked,
        messages: [...messages, ...said, { role: 'tool', content: results }],
      });
      expect(second.text).toBe('done');
      const request = server.calls[1]?.request;
      expect(request?.system).toContain('be brief');
      expect(request?.tools).toEqual(['look']);
      expect(request?.replies).toBe(1);
      expect(request?.results.map(({ name, text }) => [name, text])).toEqual([
        ['look', 'saw a'],
        ['look', 'saw b'],
      ]);
    },
  );

  it.each([
    ['given', { input: 1200, output: 345, cacheRead: 800, cacheWrite: 0, reasoning: 45 }],
    ['counted', undefined],
  ])('is told the usage that the server counts: %s', async (_, usage) => {
    const turn = { reasoning: 'so', text: 'many words', ...(usage ? { usage } : {}) };
    const server = await start({ script: [turn, turn] });
    const asked = { model: model(server.url), prompt: 'hi', maxRetries: 0 };
    const whole = (await generateText(asked)).totalUsage;
    const streamed = await streamText(asked).totalUsage;
    for (const [at, read] of [whole, streamed].entries()) {
      const told = server.calls[at]?.usage();
      expect(told).toMatchObject(usage ?? { reasoning: 1, output: 4 });
      expect(read.inputTokens).toBe((told?.input ?? 0) + (told?.cacheRead ?? 0));
      expect(read.outputTokens).toBe(told?.output);
      expect(read.inputTokenDetails.cacheReadTokens).toBe(told?.cacheRead);
      expect(read.outputTokenDetails.reasoningTokens).toBe(told?.reasoning);
    }
    expect(server.count().output).toBe((usage?.output ?? 4) * 2);
  });

  it('is held in the middle of a stream until it is released', async () => {
    const held = gate(2);
    const server = await start({ script: [{ text: 'abcdef', chunk: 2, gate: held }] });
    const read = streamText({ model: model(server.url), prompt: 'hi', maxRetries: 0 });
    const deltas = read.textStream[Symbol.asyncIterator]();
    expect(await deltas.next()).toMatchObject({ value: 'ab' });
    expect(await deltas.next()).toMatchObject({ value: 'cd' });
    await held.reached;
    expect(server.open()).toBe(1);
    expect(server.count().output).toBe(0);
    held.release();
    expect(await deltas.next()).toMatchObject({ value: 'ef' });
    expect(await deltas.next()).toMatchObject({ done: true });
    expect(await server.calls[0]?.ended).toBe('completed');
    expect(server.open()).toBe(0);
  });

  it('ends for its reason', async () => {
    const server = await start({ script: [{ text: 'half', stop: 'length' }] });
    const read = streamText({ model: model(server.url), prompt: 'hi', maxRetries: 0 });
    expect(await read.finishReason).toBe('length');
  });

  it('goes through a script of its own beside others', async () => {
    const script = perConversation([
      ({ lastText }) => ({ text: lastText, tools: [{ name: 'look', input: { path: lastText } }] }),
      ({ results }) => ({ text: `it was ${results[0]?.text}` }),
    ]);
    const server = await start({ script });
    const talk = async (prompt: string): Promise<string> => {
      const asked = { model: model(server.url), tools: TOOLS, maxRetries: 0 };
      const first = await generateText({ ...asked, prompt });
      const results = first.toolCalls.map(({ toolCallId, toolName }) => ({
        type: 'tool-result' as const,
        toolCallId,
        toolName,
        output: { type: 'text' as const, value: prompt.toUpperCase() },
      }));
      const messages = [
        { role: 'user' as const, content: prompt },
        ...first.response.messages,
        { role: 'tool' as const, content: results },
      ];
      return (await generateText({ ...asked, messages })).text;
    };
    expect(await Promise.all(['a', 'b', 'c'].map(talk))).toEqual([
      'it was A',
      'it was B',
      'it was C',
    ]);
  });
});

it('answers calls beside the main line without consuming the script', async () => {
  const server = await start({ script: [{ text: 'main' }], otherwise: { text: 'a title' } });
  const [, model] = READERS[0] ?? [];
  if (!model) throw new Error('there is no reader');
  const asked = { model: model(server.url), prompt: 'hi', maxRetries: 0 };
  expect((await generateText(asked)).text).toBe('a title');
  expect((await generateText({ ...asked, tools: TOOLS })).text).toBe('main');
});

it('lists models, also as OpenRouter does, and counts tokens', async () => {
  const server = await start({ script: [] });
  const list = async (path: string): Promise<unknown> =>
    (await fetch(`${server.url}${path}`)).json();
  expect(await list('/v1/models?limit=10')).toMatchObject({ data: [{ id: 'scripted-large' }, {}] });
  expect(await list('/api/v1/models')).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ pricing: expect.objectContaining({ prompt: '0.000003' }) }),
    ]),
  });
  const counted = await fetch(`${server.url}/v1/messages/count_tokens?beta=true`, {
    method: 'POST',
    body: '12345678',
  });
  expect(await counted.json()).toEqual({ input_tokens: 2 });
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/models?limit=10',
    'GET /api/v1/models',
    'POST /v1/messages/count_tokens?beta=true',
  ]);
});

it('tells that a script is over', async () => {
  const server = await start({ script: [] });
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('the script of this server has ended');
});
