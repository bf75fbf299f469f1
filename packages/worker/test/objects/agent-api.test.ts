import { NO_USAGE } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { message, newNode, newSession, treeOf } from './support/api.ts';
import { askAs, keyOf } from './support/agents.ts';
import { text, TestLink, TestRunner } from './support/runner.ts';

it('[CAT10] an agent is told of its direct children and what they say, and of nobody else', async () => {
  const runner = await TestRunner.connect();
  const session = await newSession();
  const root = await newNode(session.id, { name: 'root' });
  const child = await newNode(session.id, { name: 'child', parentId: root.id });
  const grandchild = await newNode(session.id, { name: 'grandchild', parentId: child.id });
  const other = await newNode((await newSession()).id);
  const me = { key: await keyOf(runner, root.id), thread: root.id };
  await message(child.id, 'dig');
  const link = await TestLink.open(child.id, 1, 1);
  await link.started();
  await link.say(text('digging'), { type: 'done', summary: 'dug' });

  await expect
    .poll(async () => (await treeOf(session.id)).nodes.map(({ status }) => status))
    .toContain('done');
  const listed = await askAs(me, 'children');
  const { children } = z
    .object({ children: z.array(z.record(z.string(), z.unknown())) })
    .parse(await listed.json());
  expect(children).toEqual([
    {
      id: child.id,
      name: 'child',
      agentType: 'custom',
      model: child.model,
      status: 'done',
      reason: null,
      queue: null,
      works: false,
      result: { outcome: 'completed', words: 'dug' },
      usage: NO_USAGE,
    },
  ]);

  const messages = await (await askAs(me, `children/${child.id}/messages`)).json();
  expect(messages).toEqual({
    messages: [
      { seq: 1, role: 'user', text: 'dig' },
      { seq: 3, role: 'agent', text: 'digging' },
      { seq: 4, role: 'agent', text: 'dug' },
    ],
  });
  const later = await (await askAs(me, `children/${child.id}/messages?after=3`)).json();
  expect(later).toEqual({ messages: [{ seq: 4, role: 'agent', text: 'dug' }] });

  for (const id of [root.id, grandchild.id, other.id]) {
    expect((await askAs(me, `children/${id}/messages`)).status).toBe(404);
  }
});

it('[CAT10] needs the key of the node and the word of its runner', async () => {
  const runner = await TestRunner.connect();
  const session = await newSession();
  const root = await newNode(session.id);
  const child = await newNode(session.id, { parentId: root.id });
  const key = await keyOf(runner, root.id);
  const forged = `${key.slice(0, -4)}0000`;
  for (const wrong of [
    { key, thread: root.id, token: 'wrong' },
    { key, thread: child.id },
    { key: forged, thread: root.id },
    { key: await keyOf(runner, child.id), thread: root.id },
  ]) {
    expect((await askAs(wrong, 'children')).status).toBe(401);
    expect((await askAs(wrong, `children/${child.id}/messages`)).status).toBe(401);
  }
  expect((await askAs({ key, thread: root.id }, 'children')).status).toBe(200);
});
