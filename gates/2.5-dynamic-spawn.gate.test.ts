import { Api, follow, isType, scriptAgent, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

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
