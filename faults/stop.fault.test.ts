import { Api, chance, follow, isType, shimPids, startInstance } from '@filepath/testkit';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';

/** Spawns a copy of itself again and again, and never ends by itself. */
const BREEDER = `n=0
while [ $n -lt 30 ]; do
  n=$((n + 1))
  printf '{"type":"spawn","name":"c%d","agent":"custom","model":"m","task":"breed"}\\n' "$n"
  sleep 0.05
done
while :; do sleep 1; done`;

it('[F10] stop of the root while it spawns: no live descendant after 5 s, none later', async () => {
  const dice = chance('stop');
  await using instance = await startInstance();
  const api = new Api(instance);
  const { session, node } = await api.agent(['sh', '-c', BREEDER]);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'breed');
  await feed.until(isType('spawned'));
  await wait(dice.below(400));
  await api.call('POST', `/api/thread/${node.id}/signal`, { action: 'stop' });
  await feed.until(isType('exit'));
  feed.close();

  const threads = (await api.tree(session.id)).nodes;
  expect(threads.length).toBeGreaterThan(1);
  for (const { id } of threads) {
    const thread = follow(instance, id);
    const stop = await thread.until(isType('signal'));
    // One that was stopped before its task reached it, or in line, never started.
    if (thread.events.some(isType('started'))) {
      const end = await thread.until(isType('exit'));
      expect(Date.parse(end.at) - Date.parse(stop.at)).toBeLessThan(5000);
    }
    thread.close();
  }
  await expect.poll(() => shimPids(instance.home), { timeout: 5000 }).toEqual([]);
  const before = (await api.tree(session.id)).nodes.length;
  // Time is what is asked for here: none later.
  await wait(3000);
  expect(shimPids(instance.home)).toEqual([]);
  expect((await api.tree(session.id)).nodes.length).toBe(before);
});
