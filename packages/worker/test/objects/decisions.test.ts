import type { ThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ask, logOf, message, newAgent, treeOf } from './support/api.ts';
import { TestLink } from './support/runner.ts';

const question = {
  type: 'decision',
  id: 'a/b',
  prompt: 'may I?',
  options: ['yes', 'no'],
  hash: 'h',
};

const decide = (status: number, thread: ThreadId, id: string, body: object) =>
  ask(status, 'POST', `/api/thread/${thread}/decision/${encodeURIComponent(id)}`, body);

async function attention(): Promise<string[]> {
  const answer = await ask(200, 'GET', '/api/attention');
  const { items } = z.object({ items: z.array(z.object({ thread: z.string() })) }).parse(answer);
  return items.map(({ thread }) => thread);
}

it('[CAT8] a question waits for a person, is answered over HTTP, and the agent gets the answer', async () => {
  const { session, node } = await newAgent();
  await message(node.id);
  const link = await TestLink.open(node.id, 1, 1);
  await link.started();
  await link.say(question);
  await expect.poll(attention).toContain(node.id);
  expect((await treeOf(session.id)).nodes[0]).toMatchObject({
    status: 'running',
    reason: 'waiting for a person',
  });
  await decide(400, node.id, 'a/b', { choice: 'perhaps' });
  await decide(400, node.id, 'a/b', { choice: 'yes', more: 1 });
  await decide(409, node.id, 'a/b', { choice: 'yes', hash: 'other' });
  await decide(404, node.id, 'other', { choice: 'yes' });
  const key = 'sk-ant-canary-0123456789';
  const { seq } = z
    .object({ seq: z.int() })
    .parse(await decide(202, node.id, 'a/b', { choice: 'yes', hash: 'h', input: { key } }));
  const input = { key: '[redacted]' };
  expect((await logOf(node.id))[seq - 1]).toMatchObject({
    source: 'user',
    body: { type: 'decision', id: 'a/b', choice: 'yes', hash: 'h', input },
  });
  const frame = await link.socket.until('input');
  expect(frame).toMatchObject({
    input: { id: 2, line: expect.stringContaining('"choice":"yes"') },
  });
  await decide(409, node.id, 'a/b', { choice: 'no' });
  await expect.poll(attention).not.toContain(node.id);
});
