import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentEntry, Node, Session } from '@filepath/protocol';
import {
  Api,
  follow,
  isType,
  perConversation,
  scriptAgent,
  startInstance,
  startModelServer,
  tempDir,
} from '@filepath/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';

it("an agent's spawn makes one child in the tree, and the child works", async () => {
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('all-events').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'say everything');
  const spawned = await feed.until(isType('spawned'));
  const child = String(Reflect.get(spawned.body as object, 'node'));
  const childFeed = follow(instance, child);
  await childFeed.until(isType('exit'));
  feed.close();
  childFeed.close();

  const { nodes } = await api.tree(session.id);
  expect(nodes.map(({ id, parentId, name }) => [id, parentId, name])).toEqual([
    [node.id, null, node.name],
    [child, node.id, 'helper'],
  ]);
  expect(childFeed.events[0]).toMatchObject({
    source: 'parent',
    body: { type: 'message', from: 'parent', content: 'child: say hello' },
  });
  expect(childFeed.events.map((event) => JSON.stringify(event.body)).join()).toContain(
    'child at work on: child: say hello',
  );
});

/** A child that says one thing. */
const HELPER: AgentEntry = {
  type: 'helper',
  name: 'Helper',
  description: 'Says that it helped.',
  icon: 'box',
  defaultModel: 'none',
  driver: { kind: 'custom', command: ['printf', '{"type":"done","summary":"helped a lot"}\\n'] },
  metered: true,
};

const FromChild = z.object({ from: z.literal('child'), child: z.object({ name: z.string() }) });

const spawn = (name: string) => ({
  tools: [{ name: 'spawn_agent', input: { name, task: 'Help.', agent: 'helper' } }],
});

it('an agent spawns by a tool, waits and reads; what it does not wait for comes as a message', async () => {
  const server = await startModelServer({
    script: perConversation([
      spawn('one'),
      { tools: [{ name: 'wait_children', input: { seconds: 60 } }] },
      ({ results }) => {
        const id = /^(th_\w+) "one"/.exec(results[0]?.text ?? '')?.[1] ?? '';
        return { tools: [{ name: 'read_child_messages', input: { id } }] };
      },
      spawn('two'),
      { text: 'I do not wait.' },
      { text: 'I have heard.' },
    ]),
  });
  using home = tempDir('filepath-home');
  mkdirSync(join(home.path, 'catalog'));
  writeFileSync(join(home.path, 'catalog/helper.json'), JSON.stringify(HELPER));
  await using instance = await startInstance(
    { ANTHROPIC_API_KEY: 'key-of-a-provider', ANTHROPIC_BASE_URL: server.url },
    { home: home.path },
  );
  const api = new Api(instance);
  const made = z.object({ session: Session, node: Node });
  const { session, node } = await api.json(made, 'POST', '/api/session', {
    root: { agentType: 'shelley', model: 'anthropic/claude-haiku-4.5' },
  });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'Have it done.');
  const told = await feed.until(
    ({ source, body }) =>
      source === 'system' && FromChild.safeParse(body).data?.child.name === 'two',
  );
  expect(JSON.stringify(told.body)).toContain('helped a lot');
  const words = 'Your child two has finished: completed.';
  await expect
    .poll(() => server.calls.some(({ request }) => request.raw.includes(words)))
    .toBe(true);
  await expect.poll(async () => (await api.tree(session.id)).nodes[0]?.status).toBe('done');
  feed.close();
  await server.close();

  const asked = server.calls.map(({ request }) => request);
  const results = asked.flatMap((request) => request.results.map(({ text }) => text)).join('\n');
  expect(results).toMatch(
    /Started "one"[^]*"one" helper: done\n {2}helped a lot[^]*parent: Help\./,
  );
  const { nodes } = await api.tree(session.id);
  expect(nodes.map(({ name, parentId, status }) => [name, parentId, status])).toEqual([
    [node.name, null, 'done'],
    ['one', node.id, 'done'],
    ['two', node.id, 'done'],
  ]);
});
