import { env } from 'cloudflare:workers';
import {
  HANDED_HEADER,
  type NodeCreate,
  type Node,
  type Session,
  type ThreadId,
} from '@filepath/protocol';
import { call, message, newNode, newSession, RUNNER } from './api.ts';
import { TestLink, TestRunner } from './runner.ts';

const TOKEN = RUNNER.authorization.replace('Bearer ', '');

export type Me = { key: string; thread: string; token?: string };

/** As a runner passes it on for an agent, which leaves before it has the answer. */
export const askAndLeave = (
  { key, thread, token = TOKEN }: Me,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
) =>
  call(`/gateway/agent/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-filepath-runner-token': token,
      'x-filepath-session': key.split('_').slice(1, 3).join('_'),
      'x-filepath-thread': thread,
    },
    body,
  });

/** As a runner passes it on for an agent, which has the answer then. */
export async function askAs(me: Me, path: string, body?: unknown, method?: string) {
  const answer = await askAndLeave(me, path, body, method);
  const handed = answer.headers.get(HANDED_HEADER);
  if (handed !== null) await askAndLeave(me, `handed/${handed}`, undefined, 'POST');
  return answer;
}

export async function keyOf(runner: TestRunner, thread: ThreadId): Promise<string> {
  await message(thread);
  const order = await runner.order(thread);
  return order.kind === 'start' ? order.apiKey : '';
}

/** An agent with the key of its start order. */
export async function holderOf(runner: TestRunner, thread: ThreadId): Promise<Me> {
  return { key: await keyOf(runner, thread), thread };
}

/** A root at work, and how it asks. */
export type Root = {
  runner: TestRunner;
  session: Session;
  node: Node;
  link: TestLink;
  me: Me;
  stub: ReturnType<typeof env.SESSION.getByName>;
  ask: (path: string, body?: unknown) => Promise<unknown>;
};

export async function newRoot(create: Partial<NodeCreate> = {}): Promise<Root> {
  const runner = await TestRunner.connect();
  const session = await newSession();
  const node = await newNode(session.id, {
    name: 'root',
    agentType: 'shelley',
    config: {},
    ...create,
  });
  const me = { key: await keyOf(runner, node.id), thread: node.id };
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  await link.say({ type: 'status', state: 'running' });
  const stub = env.SESSION.getByName(session.id);
  const ask = async (path: string, body?: unknown) => (await askAs(me, path, body)).json();
  return { runner, session, node, link, me, stub, ask };
}

/** The process of an agent that was just started. */
export async function work(runner: TestRunner, thread: ThreadId, epoch = 1): Promise<TestLink> {
  const order = await runner.order(thread);
  if (order.kind !== 'start') throw new Error(`expected a start, not ${order.kind}`);
  const link = await TestLink.open(thread, epoch, order.inputs.length);
  await link.started(epoch);
  return link;
}
