import { env } from 'cloudflare:workers';
import { AttentionFrame, AttentionItem, Rule, type ThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { OWNER_ID } from '../../src/auth/sign-in-link.ts';
import { unwrap } from '../../src/result.ts';
import {
  ask,
  logOf,
  message,
  newAgent,
  newNode,
  newSession,
  OWNER,
  treeOf,
} from './support/api.ts';
import { exited, TestLink } from './support/runner.ts';
import { TestSocket } from './support/socket.ts';
import { openSse } from './support/sse.ts';

const asks = (id: string, prompt: string) => ({
  type: 'decision',
  id,
  prompt,
  options: ['allow', 'deny'],
  hash: prompt,
  kind: 'permission',
});

async function running(id: ThreadId): Promise<TestLink> {
  await message(id);
  const link = await TestLink.open(id, 1, 1);
  await link.started();
  return link;
}

async function items(thread: string): Promise<AttentionItem[]> {
  const answer = await ask(200, 'GET', '/api/attention');
  const parsed = z.object({ items: z.array(AttentionItem) }).parse(answer);
  return parsed.items.filter((item) => item.thread === thread);
}

const rules = async (): Promise<Rule[]> =>
  z.object({ rules: z.array(Rule) }).parse(await ask(200, 'GET', '/api/rules')).rules;

async function waiting(thread: string): Promise<AttentionItem> {
  await expect.poll(() => items(thread), { timeout: 10_000 }).toHaveLength(1);
  const [item] = await items(thread);
  if (item === undefined) throw new Error('nothing waits');
  return item;
}

/** Reads until a change of this kind for this item. */
async function change(socket: TestSocket, type: string, is: (id: string) => boolean) {
  for (;;) {
    const frame = AttentionFrame.parse(await socket.until('events'));
    if (frame.t !== 'events') continue;
    socket.send({ t: 'ack', seq: frame.events.at(-1)?.seq ?? 0 });
    for (const one of frame.events) {
      if (one.type !== type) continue;
      if (one.type === 'item' && is(one.item.thread)) return one;
      if (one.type === 'gone' && is(one.id)) return one;
    }
  }
}

it('[ATT2] [ATT3] a question is answered once, from anywhere, and is gone for everybody', async () => {
  const { session, node } = await newAgent();
  const sockets = await Promise.all(
    [1, 2].map(() => TestSocket.open('/api/attention/events?after=0', OWNER)),
  );
  const sse = await openSse('/api/attention/events');
  const link = await running(node.id);
  await link.say(asks('p1', 'make'));
  const shown = await Promise.all(
    sockets.map((socket) => change(socket, 'item', (thread) => thread === node.id)),
  );
  const item = await waiting(node.id);
  expect(item).toMatchObject({
    kind: 'permission',
    session: session.id,
    name: node.name,
    why: 'make',
    choices: ['allow', 'deny'],
    hash: 'make',
  });
  expect(shown).toMatchObject([{ item: { id: item.id } }, { item: { id: item.id } }]);
  await ask(400, 'POST', `/api/attention/${item.id}`, { choice: 'perhaps' });
  await ask(202, 'POST', `/api/attention/${item.id}`, { choice: 'allow' });
  for (const socket of sockets) {
    const gone = await change(socket, 'gone', (id) => id === item.id);
    expect(gone).toMatchObject({ choice: 'allow' });
    socket.close();
  }
  await sse.cancel();
  const refused = await ask(409, 'POST', `/api/attention/${item.id}`, { choice: 'deny' });
  expect(JSON.stringify(refused)).toContain('the answer was allow');
  expect(await rules()).toEqual([]);
  expect((await logOf(node.id)).at(-1)).toMatchObject({
    source: 'user',
    body: { type: 'decision', id: 'p1', choice: 'allow', hash: 'make' },
  });
});

it('[ATT3] what was answered in the thread says so to whoever answers it later', async () => {
  const { node } = await newAgent();
  const link = await running(node.id);
  await link.say(asks('p1', 'make'));
  const item = await waiting(node.id);
  await ask(202, 'POST', `/api/thread/${node.id}/decision/p1`, { choice: 'deny' });
  const again = await ask(409, 'POST', `/api/thread/${node.id}/decision/p1`, { choice: 'allow' });
  expect(JSON.stringify(again)).toContain('the answer was deny');
  await expect.poll(() => items(node.id)).toEqual([]);
  const late = await ask(409, 'POST', `/api/attention/${item.id}`, { choice: 'allow' });
  expect(JSON.stringify(late)).toContain('the answer was deny');
});

it('[ATT4] [ATT5] a permission for a session answers equal questions of its agents, until the rule is removed', async () => {
  const session = await newSession();
  const [one, two] = [await newNode(session.id), await newNode(session.id)];
  const first = await running(one.id);
  await first.say(asks('p1', 'npm test'));
  const item = await waiting(one.id);
  await ask(400, 'POST', `/api/attention/${item.id}`, { choice: 'allow', scope: 'repository' });
  await ask(202, 'POST', `/api/attention/${item.id}`, { choice: 'allow', scope: 'session' });
  const [rule] = await rules();
  expect(rule).toMatchObject({ scope: 'session', of: session.id, choice: 'allow' });

  const second = await running(two.id);
  await second.say(asks('q1', 'npm test'));
  const frame = await second.socket.until('input');
  expect(frame).toMatchObject({
    input: { line: expect.stringContaining('"id":"q1","choice":"allow"') },
  });
  expect((await logOf(two.id)).at(-1)).toMatchObject({
    source: 'system',
    body: { type: 'decision', id: 'q1', choice: 'allow', rule: rule?.id },
  });
  expect(await items(two.id)).toEqual([]);
  await second.say(asks('q2', 'npm publish'));
  expect(await waiting(two.id)).toMatchObject({ why: 'npm publish' });

  await ask(204, 'DELETE', `/api/rules/${rule?.id}`);
  await first.say(asks('p2', 'npm test'));
  expect(await waiting(one.id)).toMatchObject({ why: 'npm test' });
  await ask(204, 'DELETE', `/api/session/${session.id}`);
  await expect.poll(async () => [...(await items(one.id)), ...(await items(two.id))]).toEqual([]);
});

it('[ATT4] what an agent asks again before the rule is stored is answered by it', async () => {
  const { node } = await newAgent();
  const link = await running(node.id);
  await link.say(asks('p1', 'make'));
  const { id } = await waiting(node.id);
  const answer = { choice: 'allow', scope: 'agent' } as const;
  const user = env.USER.getByName(OWNER_ID);
  const row = unwrap(await user.beginAnswer(id, answer));
  await ask(202, 'POST', `/api/thread/${node.id}/decision/p1`, { choice: 'allow' });
  await link.say(asks('p2', 'make'));
  await expect.poll(async () => (await items(node.id)).map((one) => one.id)).not.toEqual([id]);
  await waiting(node.id);
  await user.endAnswer(row, answer, true);
  const rule = (await rules()).find(({ of }) => of === node.id);
  await expect.poll(() => items(node.id)).toEqual([]);
  expect((await logOf(node.id)).at(-1)).toMatchObject({
    source: 'system',
    body: { type: 'decision', id: 'p2', choice: 'allow', rule: rule?.id },
  });
  await ask(204, 'DELETE', `/api/rules/${rule?.id}`);
});

it('[ATT3] a failure is answered with a restart or a message, once', async () => {
  const { node } = await newAgent();
  const link = await running(node.id);
  link.observe(exited(1, 3));
  await link.socket.until('over');
  const item = await waiting(node.id);
  expect(item).toMatchObject({
    kind: 'failure',
    why: 'exit 3',
    choices: ['restart', 'message', 'leave it'],
  });
  const path = `/api/attention/${item.id}`;
  const refused = await ask(400, 'POST', path, { choice: 'message' });
  expect(JSON.stringify(refused)).toContain('input');
  await ask(400, 'POST', path, { choice: 'restart', scope: 'agent' });
  const answers = await Promise.allSettled([
    ask(202, 'POST', path, { choice: 'message', input: 'try again' }),
    ask(202, 'POST', path, { choice: 'message', input: 'try again' }),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const said = (await logOf(node.id)).filter(({ source }) => source === 'user');
  expect(said).toHaveLength(2);
  await expect.poll(() => items(node.id)).toEqual([]);
});

it('[ATT7] a failure that is left or stopped waits no more, until the agent fails again', async () => {
  const { session, node } = await newAgent();
  const known = async () => (await treeOf(session.id)).nodes[0]?.failure?.seq ?? 0;
  const fail = async (epoch: number): Promise<AttentionItem> => {
    await message(node.id);
    const link = await TestLink.open(node.id, epoch, 1);
    await link.started(epoch);
    link.observe(exited(epoch, 3));
    await link.socket.until('over');
    return waiting(node.id);
  };
  const rename = (name: string) =>
    ask(200, 'PATCH', `/api/session/${session.id}/node/${node.id}`, { name });

  const first = await fail(1);
  const at = await known();
  await rename('other');
  expect(await items(node.id)).toEqual([{ ...first, name: 'other' }]);
  await ask(202, 'POST', `/api/attention/${first.id}`, { choice: 'leave it' });
  const refused = await ask(409, 'POST', `/api/attention/${first.id}`, { choice: 'restart' });
  expect(JSON.stringify(refused)).toContain('the answer was leave it');
  await rename('another');
  expect(await items(node.id)).toEqual([]);

  expect(await fail(2)).toMatchObject({ id: first.id, why: 'exit 3', name: 'another' });
  expect(await known()).toBeGreaterThan(at);
  await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'stop' });
  await expect.poll(() => items(node.id)).toEqual([]);
  expect((await treeOf(session.id)).nodes).toMatchObject([{ status: 'error', reason: 'exit 3' }]);
});

it('[ATT6] a limit is told with its time; what is resumed or stopped before waits no more', async () => {
  const { session, node } = await newAgent();
  const link = await running(node.id);
  const limit = async (hours: number): Promise<AttentionItem> => {
    const until = new Date(Date.now() + hours * 3_600_000).toISOString();
    await link.say({ type: 'status', state: 'thinking', reason: 'waits', until });
    const item = await waiting(node.id);
    const why = `limit until ${until}`;
    expect(item).toMatchObject({ kind: 'limit', why, choices: ['resume now', 'stop'] });
    return item;
  };
  const nodeNow = async () => (await treeOf(session.id)).nodes[0];
  const first = await limit(1);
  expect(await nodeNow()).toMatchObject({ limit: { until: first.why.split(' ').at(-1) } });
  await ask(202, 'POST', `/api/attention/${first.id}`, { choice: 'resume now' });
  expect(await items(node.id)).toEqual([]);
  expect(await nodeNow()).not.toHaveProperty('limit');
  await expect
    .poll(async () => (await logOf(node.id)).at(-1))
    .toMatchObject({ source: 'user', body: { type: 'signal', action: 'resume' } });

  await limit(2);
  await ask(202, 'POST', `/api/thread/${node.id}/signal`, { action: 'resume' });
  await expect.poll(() => items(node.id)).toEqual([]);

  const last = await limit(3);
  await ask(202, 'POST', `/api/attention/${last.id}`, { choice: 'stop' });
  await expect.poll(async () => (await nodeNow())?.limit).toBeUndefined();
  expect((await logOf(node.id)).map(({ body }) => body)).toContainEqual({
    type: 'signal',
    action: 'stop',
  });
  expect(await items(node.id)).toEqual([]);
});
