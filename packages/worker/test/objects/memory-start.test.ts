import { MemoryStored, Node, SystemMemories, type ThreadId, UserMessage } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { askAs, type Me } from './support/agents.ts';
import { ask, call, custom, logOf, message, newNode, newSession } from './support/api.ts';
import { TestRunner } from './support/runner.ts';
import { signInAs } from './support/users.ts';

const repo = () => `https://git.test/${crypto.randomUUID()}`;

type Started = Me & { thread: ThreadId; task: string; told: string[]; given: SystemMemories[] };

/** Starts an agent on the repository: what its process reads from the system, and what the log says it was given. */
async function start(
  runner: TestRunner,
  gitRepoUrl: string | null,
  content = 'Fix the build.',
): Promise<Started> {
  const session = await newSession({ gitRepoUrl });
  const { id: thread } = await newNode(session.id);
  await message(thread, content);
  const order = await runner.order(thread);
  if (order.kind !== 'start') throw new Error(`expected a start, not ${order.kind}`);
  const inputs = order.inputs.map(({ line }) => UserMessage.parse(JSON.parse(line)));
  expect(inputs[0]).toMatchObject({ from: 'user', content });
  const told = inputs.slice(1).map(({ from, content: words }) => `${from}: ${words}`);
  const given = (await logOf(thread)).flatMap(({ body }) => {
    const parsed = SystemMemories.safeParse(body);
    return parsed.success ? [parsed.data] : [];
  });
  return { key: order.apiKey, thread, task: order.task, told, given };
}

it('[MEM8] [MEM9] a learning of one session is given in the next on the same repository, and on no other', async () => {
  const runner = await TestRunner.connect();
  const url = repo();
  const first = await start(runner, url);
  expect(first).toMatchObject({ told: [], given: [], task: 'Fix the build.' });
  const body = { content: 'The build needs Java 21.' };
  const stored = await askAs(first, 'memories', body);
  const { memory } = MemoryStored.parse(await stored.json());
  await askAs(first, 'memories', { content: 'mine', scope: 'agent' });

  const next = await start(runner, url.replace('//', '//me:pass-word@').concat('.git'));
  expect(next.task).toBe('Fix the build.');
  expect(next.told).toHaveLength(1);
  expect(next.told[0]).toMatch(/^system: What is remembered of this repository and you\./);
  expect(next.told[0]).toContain('> The build needs Java 21.');
  expect(next.told[0]).not.toContain('mine');
  const { id, scope, content, source, updatedAt } = memory;
  expect(next.given).toEqual([
    { type: 'memories', epoch: 1, memories: [{ id, scope, content, source, updatedAt }] },
  ]);

  for (const other of [repo(), null]) {
    expect(await start(runner, other)).toMatchObject({ told: [], given: [] });
  }
  await ask(204, 'DELETE', `/api/memories/${memory.id}`);
  expect(await start(runner, url)).toMatchObject({ told: [], given: [] });
});

it('[MEM8] what fits the task comes first, and no more than the bound is given', async () => {
  const runner = await TestRunner.connect();
  const url = repo();
  const key = { scope: 'repository', key: url };
  await ask(201, 'POST', '/api/memories', { content: 'Migrations are in db/migrate.', ...key });
  for (let i = 0; i < 12; i += 1) {
    await ask(201, 'POST', '/api/memories', { content: `Some other fact, ${i}.`, ...key });
  }
  const { given } = await start(runner, url, 'Write the migration "for" users; OR (else) *');
  expect(given).toHaveLength(1);
  expect(given[0]?.memories).toHaveLength(10);
  expect(given[0]?.memories[0]?.content).toBe('Migrations are in db/migrate.');
});

it('[MEM14] an agent of another user on the same repository starts without it', async () => {
  const runner = await TestRunner.connect();
  const url = repo();
  const key = { scope: 'repository', key: url };
  await ask(201, 'POST', '/api/memories', { content: 'The owner builds with Bazel.', ...key });
  const headers = await signInAs(`other-${crypto.randomUUID()}`);
  const send = async (path: string, body: unknown): Promise<unknown> => {
    const response = await call(path, { method: 'POST', headers, body });
    expect(response.ok).toBe(true);
    return response.json();
  };
  const theirs = { content: 'They build with make.', ...key };
  await send('/api/memories', theirs);
  const made = await send('/api/session', { gitRepoUrl: url, root: custom });
  const { node } = z.object({ node: Node }).parse(made);
  await send(`/api/thread/${node.id}/message`, { content: 'Build it.' });
  const order = await runner.order(node.id);
  const text = JSON.stringify(order);
  expect(text).toContain('They build with make.');
  expect(text).not.toContain('Bazel');
  expect((await start(runner, url)).told.join()).toMatch(/^(?!.*with make).*Bazel/s);
});
