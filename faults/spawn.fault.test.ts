import { Api, chance, follow, isType, scriptAgent, startInstance } from '@filepath/testkit';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';

it('[F9] a kill between spawn intent and child start leaves one child, or a recorded failure', async () => {
  const dice = chance('spawn');
  await using instance = await startInstance();
  const api = new Api(instance);
  for (let round = 0; round < 6; round += 1) {
    const { session, node } = await api.agent(scriptAgent('all-events').command);
    const feed = follow(instance, node.id);
    await api.message(node.id, 'say everything');
    await feed.until(isType('spawn'));
    // Chance picks the moment of the fault; nothing is waited for here.
    await wait(dice.below(40));
    if (dice.below(2) === 0) {
      await instance.killEngine();
    } else {
      await instance.killProcess();
      await instance.start();
    }
    const outcome = await feed.until(
      (event) => isType('spawned')(event) || isType('spawn_failed')(event),
    );
    const { nodes } = await api.tree(session.id);
    const children = nodes.filter((one) => one.parentId === node.id);
    if (isType('spawned')(outcome)) {
      const [child] = children;
      if (!child) throw new Error('no child');
      expect(children).toHaveLength(1);
      const childFeed = follow(instance, child.id);
      await childFeed.until(isType('exit'));
      childFeed.close();
      expect(childFeed.events.filter(isType('message'))).toHaveLength(1);
      expect(childFeed.events.filter(isType('started'))).toHaveLength(1);
    } else {
      expect(children).toHaveLength(0);
    }
    feed.close();
    await api.call('DELETE', `/api/session/${session.id}`);
  }
});
