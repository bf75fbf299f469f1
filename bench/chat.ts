import {
  Api,
  type Instance,
  type ModelServer,
  startInstance,
  startModelServer,
} from '@filepath/testkit';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ChatClient, isDelta, spawn, user } from '../integration/chat-support.ts';
import { longChat } from '../integration/chat-long.ts';
import { bareChat } from './chat/bare.ts';
import { addUsers } from './chat/users.ts';
import { percentile } from './statistics.ts';

const KEY = 'key-of-the-bench-0123456789';
const ROUNDS = 60;
const WARM_UP = 8;
export const CHATS = 200;
export const MESSAGES = 10_000;

type Times = { readonly ours: number[]; readonly bare: number[] };

export type ChatFigures = {
  /** Milliseconds from a message to the first word of its answer, one chat at a time. */
  readonly first: Times;
  /** The same with a model that takes its time before it speaks. */
  readonly thinking: Times;
  /** The same with all chats at once. */
  readonly atOnce: Times;
  /** Turns of one long chat: a few hundred messages in, and at its end. */
  readonly long: {
    readonly early: number;
    readonly late: number;
    readonly sentEarly: number;
    readonly sentLate: number;
    readonly memoryEarly: number;
    readonly memoryLate: number;
    readonly recalled: boolean;
  };
};

type Place = { readonly port: number; readonly token: string };

/** Before each event of a stream, of which the first word is the third. */
const DRIP_MS = 100;

/** Our chat beside that of the SDK, in turn, so that what else the machine does meets both alike. */
export async function chats(
  say: (what: string) => void,
  messages = MESSAGES,
): Promise<ChatFigures> {
  await using stack = new AsyncDisposableStack();
  const server = await startModelServer({ script: [], keys: [KEY] });
  stack.defer(() => server.close());
  const bare = await bareChat(server.url, KEY);
  stack.defer(() => bare.stop());
  const instance = stack.use(
    await startInstance({
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: server.url,
      OPENROUTER_BASE_URL: `${server.url}/api/v1`,
      LITECLAW_MODEL: 'anthropic/claude-haiku-4.5',
      LITECLAW_MESSAGES_PER_MINUTE: '10000',
    }),
  );
  const tokens = await addUsers(instance, CHATS);
  const api = new Api(instance);
  const id = (await spawn(api)).id ?? '';
  say('first word of a chat');
  const places = [
    [instance, id],
    [{ port: bare.port, token: 'none' }, 'one'],
  ] as const;
  const first = await firstWords(server, places, 0);
  const thinking = await firstWords(server, places, DRIP_MS);
  say(`${CHATS} chats at once`);
  const ours: (readonly [Place, string])[] = [];
  for (let at = 0; at < tokens.length; at += 8) {
    const made = tokens.slice(at, at + 8).map((token) => hatched(instance, server, token));
    ours.push(...(await Promise.all(made)));
  }
  const bares = ours.map(([, name]) => [{ port: bare.port, token: 'none' }, name] as const);
  const atOnce = { ours: await together(server, ours), bare: await together(server, bares) };
  say(`a chat of ${messages} messages`);
  const found = await longChat({ instance, api, id, server }, messages, () =>
    residentMiB(instance),
  );
  const { turns, sent, memory } = found;
  const long = {
    early: percentile(turns.slice(200, 400), 50),
    late: percentile(turns.slice(-200), 50),
    sentEarly: Math.max(...sent.slice(200, 400)),
    sentLate: Math.max(...sent.slice(-200)),
    memoryEarly: memory[1] ?? Number.NaN,
    memoryLate: memory.at(-1) ?? Number.NaN,
    recalled: found.recalled === 'Biscuit',
  };
  return { first, thinking, atOnce, long };
}

/** The LiteClaw of a new user. The keys of the environment are the owner's. */
async function hatched(
  { url, port }: Instance,
  server: ModelServer,
  token: string,
): Promise<readonly [Place, string]> {
  const api = new Api({ url, token });
  const provider = { kind: 'anthropic', baseUrl: server.url, key: KEY };
  await api.json(z.unknown(), 'POST', '/api/providers', provider);
  const { id } = await spawn(api);
  return [{ port, token }, id ?? ''];
}

async function firstWords(
  server: ModelServer,
  [ours, bare]: readonly [readonly [Place, string], readonly [Place, string]],
  dripMs: number,
): Promise<Times> {
  server.play({ script: () => ({ text: 'An answer of some words.', chunk: 12, dripMs }) });
  const times = { ours: [] as number[], bare: [] as number[] };
  const clients = { ours: new ChatClient(...ours), bare: new ChatClient(...bare) };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const way of ['ours', 'bare'] as const) {
      const took = await firstWord(clients[way]);
      if (round >= 0) times[way].push(took);
    }
  }
  for (const client of Object.values(clients)) client.close();
  return times;
}

/** All of them say something at the same moment, a second time when each has said something before. */
async function together(
  server: ModelServer,
  places: readonly (readonly [Place, string])[],
): Promise<number[]> {
  server.play({ script: () => ({ text: 'An answer of some words.', chunk: 6 }) });
  const clients = places.map(([place, id]) => new ChatClient(place, id));
  await Promise.all(clients.map(({ agent }) => agent.ready));
  await Promise.all(clients.map(firstWord));
  const times = await Promise.all(clients.map(firstWord));
  for (const client of clients) client.close();
  return times;
}

async function firstWord(client: ChatClient): Promise<number> {
  await client.agent.ready;
  const at = performance.now();
  const shown = client.frame(isDelta).then(() => performance.now() - at);
  const { error } = await client.say([user('Say something.')]);
  if (error !== null) throw new Error(error);
  client.frames.length = 0;
  return shown;
}

function residentMiB(instance: Instance): number {
  const status = readFileSync(`/proc/${instance.enginePid()}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
