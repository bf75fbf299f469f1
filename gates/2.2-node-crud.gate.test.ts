import { Api, follow, type Instance, isType, scriptAgent, startInstance } from '@filepath/testkit';
import { Node } from '@filepath/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

let instance: Instance;
let api: Api;
beforeAll(async () => {
  instance = await startInstance();
  api = new Api(instance);
});
afterAll(() => instance[Symbol.asyncDispose]());

const child = async (session: string, parentId: string) => {
  const path = `/api/session/${session}/node`;
  const body = { parentId, agentType: 'custom', config: { command: ['true'] } };
  return (await api.json(z.object({ node: Node }), 'POST', path, body)).node;
};

it('a spawned node appears in the tree under its parent', async () => {
  const { session, node } = await api.agent(['true']);
  const a = await child(session.id, node.id);
  const b = await child(session.id, node.id);
  const { nodes } = await api.tree(session.id);
  expect(nodes.map(({ id, parentId, sortOrder }) => [id, parentId, sortOrder])).toEqual([
    [node.id, null, 0],
    [a.id, node.id, 0],
    [b.id, node.id, 1],
  ]);
});

it('a status set to stop stops the agent; any other value is refused', async () => {
  const { session, node } = await api.agent(scriptAgent('all-events').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'child: no, stay');
  await feed.until(isType('exit'));
  await api.message(node.id, 'work');
  await feed.until((event) => event.source === 'fap' && isType('handoff')(event));
  const path = `/api/session/${session.id}/node/${node.id}`;
  expect((await api.call('PATCH', path, { status: 'done' })).status).toBe(409);
  expect((await api.call('PATCH', path, { status: 'stop' })).status).toBe(200);
  // One that obeys the signal ends by itself, maybe before the runner is told to stop it.
  const exit = await feed.until(
    (event) => isType('exit')(event) && Reflect.get(Object(event.body), 'epoch') === 2,
  );
  expect(exit.source).toBe('runner');
  feed.close();
});

it('deleting a node deletes its children', async () => {
  const { session, node } = await api.agent(['true']);
  const a = await child(session.id, node.id);
  const b = await child(session.id, a.id);
  await api.call('DELETE', `/api/session/${session.id}/node/${a.id}`);
  expect((await api.tree(session.id)).nodes.map(({ id }) => id)).toEqual([node.id]);
  expect((await api.call('GET', `/api/thread/${b.id}/events`)).status).toBe(404);
});
