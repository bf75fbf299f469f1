import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/index.ts';

const KEY = 'key-of-google';
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer({
    keys: [KEY],
    script: ({ results }) =>
      results.length > 0
        ? { text: 'It is there.', chunk: 6 }
        : { reasoning: 'hm', tools: [{ name: 'look', input: { at: 'x' } }] },
  });
});

afterAll(async () => {
  await server.close();
});

const ask = (method: string, contents: readonly unknown[], key = KEY): Promise<Response> =>
  fetch(`${server.url}/v1beta/models/gemini-x:${method}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key },
    body: JSON.stringify({
      contents,
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
      generationConfig: { maxOutputTokens: 100 },
    }),
  });

const question = { role: 'user', parts: [{ text: 'Is it there?' }] };

it("answers in Google's format, whole", async () => {
  const answer: unknown = await (await ask('generateContent', [question])).json();
  expect(answer).toMatchObject({
    candidates: [
      {
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [
            { text: 'hm', thought: true },
            { functionCall: { name: 'look', args: { at: 'x' } } },
          ],
        },
      },
    ],
    usageMetadata: { thoughtsTokenCount: 1 },
  });
  expect(server.calls.at(-1)?.request).toMatchObject({
    format: 'google',
    model: 'gemini-x',
    stream: false,
    system: 'Be brief.',
    tools: ['look'],
    lastText: 'Is it there?',
    maxOutput: 100,
    key: KEY,
  });
});

it("answers in Google's format, as a stream, and reads what a tool said", async () => {
  const call = { functionCall: { id: 'c1', name: 'look', args: {} } };
  const result = { functionResponse: { id: 'c1', name: 'look', response: { output: 'yes' } } };
  const contents = [question, { role: 'model', parts: [call] }, { role: 'user', parts: [result] }];
  const text = await (await ask('streamGenerateContent?alt=sse', contents)).text();
  const parts = text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event): unknown => JSON.parse(event.replace(/^data: /, '')));
  expect(parts).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'It is ' }] } }] },
    { candidates: [{ content: { parts: [{ text: 'there.' }] } }] },
    { candidates: [{ finishReason: 'STOP' }], usageMetadata: { candidatesTokenCount: 3 } },
  ]);
  expect(server.calls.at(-1)?.request.results).toEqual([
    { id: 'c1', name: 'look', text: '{"output":"yes"}', isError: false },
  ]);
});

it('counts tokens, and takes its own keys only', async () => {
  const counted: unknown = await (await ask('countTokens', [question])).json();
  expect(counted).toHaveProperty('totalTokens');
  const refused = await ask('generateContent', [question], 'another');
  expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: 401 } }]);
});
