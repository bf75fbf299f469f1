import { type Api, gate, type Instance, type ModelServer } from '@filepath/testkit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type ChatInstance, startChatInstance } from './chat-instance.ts';
import { ChatClient, isDelta, read, textOf, transcript, user } from './chat-support.ts';

const LONG = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');

let chats: ChatInstance;
let server: ModelServer;
let instance: Instance;
let api: Api;
let id: string;
const clients: ChatClient[] = [];

beforeAll(async () => {
  chats = await startChatInstance({
    LITECLAW_MAX_OUTPUT_TOKENS: '500',
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

it('[CLAW3] the SDK’s client sends, reads the stream and finds the transcript again', async () => {
  server.play({ script: [{ text: 'Hello, I am here.', chunk: 5 }] });
  const said = user('Hello?');
  const answer = await connect().say([said]);
  expect(answer).toMatchObject({ text: 'Hello, I am here.', error: null });
  const stored = await transcript(api, id);
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(stored[0]?.id).toBe(said.id);
  expect(stored.map(textOf)).toEqual(['Hello?', 'Hello, I am here.']);
  const call = server.calls.at(-1);
  expect(call?.request).toMatchObject({ model: 'claude-haiku-4-5', maxOutput: 500 });
});

it('[CLAW4] a connection that is cut in mid-stream loses and repeats nothing', async () => {
  const held = gate(20);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }] });
  const client = connect();
  const first = read(await client.send([user('Go on')]));
  await held.reached;
  await client.cut();
  expect((await first).error).toBe('WebSocket closed mid-stream');
  const resumed = await client.resume();
  expect(resumed).not.toBeNull();
  if (!resumed) return;
  const reading = read(resumed);
  held.release();
  const { text, error } = await reading;
  expect({ text, error }).toEqual({ text: LONG, error: null });
  const stored = await transcript(api, id);
  expect(stored.map(textOf)).toEqual(['Go on', LONG]);
});

it('[CLAW5] a second device follows the stream live', async () => {
  const held = gate(5);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }] });
  const [one, other] = [connect(), connect()];
  await other.agent.ready;
  const reading = read(await one.send([user('Both')]));
  await held.reached;
  const resumed = await other.resume();
  const following = resumed ? read(resumed) : Promise.reject(new Error('nothing to follow'));
  held.release();
  expect((await reading).text).toBe(LONG);
  expect((await following).text).toBe(LONG);
});

it('[CLAW6] stop ends the answer, keeps what was said, and the next is answered', async () => {
  const held = gate(4);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }, { text: 'Next.' }] });
  const client = connect();
  const said = user('Stop me');
  const begun = client.frame(isDelta);
  const reading = read(await client.send([said]));
  await begun;
  const over = client.frame(
    ({ type, done, outcome }) =>
      type === 'cf_agent_use_chat_response' && done === true && outcome === 'aborted',
  );
  client.transport.cancelActiveServerTurn();
  await over;
  held.release();
  await reading;
  const stored = await transcript(api, id);
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant']);
  const partial = textOf(stored[1] ?? said);
  expect(partial).not.toBe('');
  expect(LONG.startsWith(partial)).toBe(true);
  const next = await client.say([...stored, user('And now?')]);
  expect(next.text).toBe('Next.');
});

it('[CLAW7] a new message stops the answer that is on its way', async () => {
  const held = gate(4);
  server.play({ script: [{ text: LONG, chunk: 6, gate: held }, { text: 'The newer one.' }] });
  const client = connect();
  const [one, two] = [user('First'), user('Second')];
  const begun = client.frame(isDelta);
  const first = read(await client.send([one]));
  await begun;
  const second = await client.say([one, two]);
  expect(second.text).toBe('The newer one.');
  expect(LONG.startsWith((await first).text)).toBe(true);
  const stored = await transcript(api, id);
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(stored[2]?.id).toBe(two.id);
  held.release();
});

it('[CLAW8] clear forgets, for every device', async () => {
  server.play({ script: [{ text: 'Noted.' }, { text: 'Who?' }] });
  const [one, other] = [connect(), connect()];
  await other.agent.ready;
  await one.say([user('My name is Ada')]);
  const told = other.frame(({ type }) => type === 'cf_agent_chat_clear');
  one.agent.send(JSON.stringify({ type: 'cf_agent_chat_clear' }));
  await told;
  expect(await transcript(api, id)).toEqual([]);
  await one.say([user('Who am I?')]);
  const { messages } = server.calls.at(-1)?.request ?? { messages: [] };
  expect(messages.map(({ text }) => text)).toEqual(['Who am I?']);
});

it('[CLAW9] a stream that brings nothing in time is replaced by an answer in one piece', async () => {
  // One of its own: the others are not to be taken for late on a busy machine.
  await using hasty = await startChatInstance({ LITECLAW_FIRST_BYTE_MS: '500' });
  hasty.server.play({ script: [{ fault: { kind: 'hang' } }, { text: 'Whole.' }] });
  const client = new ChatClient(hasty.instance, hasty.id);
  const answer = await client.say([user('Are you there?')]);
  client.close();
  expect(answer).toMatchObject({ text: 'Whole.', error: null });
  expect(answer.types).toContain('data-notice');
  expect(hasty.server.calls.map(({ request }) => request.stream)).toEqual([true, false]);
});

it('[CLAW10] an error is told and stored as the answer', async () => {
  const down = { fault: { kind: 'status', status: 400, message: 'no such thing' } } as const;
  server.play({ script: [down, down, { text: 'Better.' }] });
  const client = connect();
  const answer = await client.say([user('Fail')]);
  expect(answer.error).toContain('no such thing');
  const stored = await transcript(api, id);
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(stored[1]?.parts).toMatchObject([{ type: 'data-error', data: { code: 'model' } }]);
  expect((await client.say([...stored, user('Again')])).text).toBe('Better.');
});

it('[CLAW12] what is not sent whole any more is in the summary', async () => {
  const isSummary = (system: string): boolean => system.includes('You keep the memory');
  server.play({
    script: ({ system, lastText }) => ({
      text: isSummary(system) ? 'The person is called Ada.' : `You said: ${lastText}`,
    }),
  });
  const client = connect();
  const say = async (text: string) => client.say([...(await transcript(api, id)), user(text)]);
  await say('My name is Ada');
  for (let at = 1; at < 8; at += 1) await say(`message ${at}`);
  await vi.waitFor(async () => {
    const summary = server.calls.find(({ request }) => isSummary(request.system));
    expect(summary?.request.lastText).toContain('My name is Ada');
    await say('Who am I?');
    const last = server.calls.findLast(({ request }) => !isSummary(request.system))?.request;
    expect(last?.system).toContain('The person is called Ada.');
    expect(last?.messages.map(({ text }) => text)).not.toContain('My name is Ada');
    expect(last?.messages[0]?.role).toBe('user');
  }, 60_000);
});

it('[CLAW15] a budget that is used up is the answer, until it is raised', async () => {
  server.play({ script: () => ({ text: 'Within it.' }) });
  const client = connect();
  await api.call('PUT', '/api/budget', { budget: { tokens: 1, usd: null } });
  const answer = await client.say([user('Too dear')]);
  expect(answer.error).toContain('budget');
  const stored = await transcript(api, id);
  expect(stored[1]?.parts).toMatchObject([{ type: 'data-error' }]);
  await api.call('PUT', '/api/budget', { budget: { tokens: null, usd: null } });
  expect((await client.say([...stored, user('And now?')])).text).toBe('Within it.');
});
