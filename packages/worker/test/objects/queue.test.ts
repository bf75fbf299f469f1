import { abortAllDurableObjects } from 'cloudflare:test';
import { encodeInput, QueuedMessage, type ThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ask, call, logOf, message, newAgent, OWNER } from './support/api.ts';
import { TestLink, TestRunner } from './support/runner.ts';
import { signInAs } from './support/users.ts';

const queueOf = async (node: ThreadId): Promise<QueuedMessage[]> =>
  z
    .object({ messages: QueuedMessage.array() })
    .parse(await ask(200, 'GET', `/api/node/${node}/queue`)).messages;

const after = (node: ThreadId, content: string) =>
  ask(202, 'POST', `/api/thread/${node}/message`, { content, deliver: 'after' });

const bodies = async (node: ThreadId) =>
  (await logOf(node)).map(({ body }) => z.record(z.string(), z.unknown()).parse(body));

async function atWork() {
  await TestRunner.connect();
  const { session, node } = await newAgent();
  await message(node.id, 'task');
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  await link.say({ type: 'status', state: 'running' });
  return { session, id: node.id, link };
}

it('[TALK10] a queue is seen, edited and withdrawn from by its owner alone, without secrets', async () => {
  const { id, link } = await atWork();
  await after(id, 'first');
  await after(id, 'second');
  const [one, two] = await queueOf(id);
  if (!one || !two) throw new Error('nothing waits');
  expect([one.content, two.content]).toEqual(['first', 'second']);
  const path = `/api/node/${id}/queue/${one.id}`;

  const stranger = await signInAs('stranger');
  for (const [method, where, body] of [
    ['GET', `/api/node/${id}/queue`, undefined],
    ['PATCH', path, { content: 'mine' }],
    ['DELETE', path, undefined],
  ] as const) {
    expect((await call(where, { method, headers: stranger, body })).status).toBe(404);
  }
  for (const body of [{}, { content: '' }, { content: 'x', more: 1 }]) {
    expect((await call(path, { method: 'PATCH', headers: OWNER, body })).status).toBe(400);
  }

  await ask(202, 'PATCH', path, { content: 'say owner-token-for-tests' });
  await ask(202, 'DELETE', `/api/node/${id}/queue/${two.id}`);
  const [left, ...more] = await queueOf(id);
  expect(more).toEqual([]);
  expect(left).toMatchObject({ id: one.id, seq: one.seq });
  expect(left?.content).not.toContain('owner-token-for-tests');
  await after(id, 'and runner-token-for-tests');
  expect(JSON.stringify(await logOf(id))).not.toMatch(/(owner|runner)-token-for-tests/);

  await link.say({ type: 'done' });
  await ask(404, 'PATCH', path, { content: 'too late' });
  await ask(404, 'DELETE', path);
});

it('[TALK11] a message is delivered once, whatever is killed when', async () => {
  const { id, link } = await atWork();
  await after(id, 'first');
  await after(id, 'second');
  await abortAllDurableObjects();
  const [one] = await queueOf(id);
  const again = await TestLink.open(id, 1, 1);
  expect(again.offset).toBe(link.offset);
  await again.say({ type: 'done' });
  await abortAllDurableObjects();
  expect((await queueOf(id)).map(({ content }) => content)).toEqual(['second']);

  // The runner asks anew: the input that was stored is there, and the line that ended the run counts once.
  const third = await TestLink.open(id, 1, 1);
  expect(await third.socket.until('input')).toMatchObject({
    input: { id: 2, line: encodeInput({ type: 'message', from: 'user', content: 'first' }) },
  });
  const delivered = (await bodies(id)).filter(({ queued }) => queued !== undefined);
  expect(delivered).toEqual([{ type: 'message', from: 'user', content: 'first', queued: one?.id }]);
  expect(third.offset).toBe(again.offset);
});

it('[TALK9] a deleted node has no queue', async () => {
  const { session, id } = await atWork();
  await after(id, 'first');
  await ask(204, 'DELETE', `/api/session/${session.id}/node/${id}`);
  await ask(404, 'GET', `/api/node/${id}/queue`);
});
