import {
  Api,
  chance,
  follow,
  isType,
  scriptAgent,
  smallDisk,
  startInstance,
} from '@filepath/testkit';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { showOnFailure } from './on-failure.ts';
import { bodyOf, expectWhole, hasNumber } from './support.ts';

const COUNT = 20_000;

it('[F13] the disk of spool and database runs full and empty again: nothing is lost, and all goes on by itself', async () => {
  const dice = chance('disk');
  using disk = smallDisk(160);
  await using instance = await startInstance({ FILEPATH_DISK_RESERVE: '0' }, { home: disk.path });
  const api = new Api(instance);
  const { node } = await api.agent(scriptAgent('stream', String(COUNT), '0.05', '50').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  const reader = await api.agent(['sh', '-c', 'while read -r line; do :; done']);
  const other = reader.node.id;
  showOnFailure(api, node.sessionId, reader.session.id);
  await api.message(other, 'first');
  const acknowledged = ['first'];
  const refusals = new Set<number>();
  const say = async (content: string): Promise<boolean> => {
    const path = `/api/thread/${other}/message`;
    const answer = await api.call('POST', path, { content }).catch(() => null);
    if (answer?.ok === true) acknowledged.push(content);
    else refusals.add(answer?.status ?? 0);
    return answer?.ok === true;
  };
  for (let round = 0, mark = 300; round < 4; round += 1) {
    mark += dice.below(1500);
    await feed.until(hasNumber(mark));
    disk.fill();
    // Chance says how long the disk is full, and at first at least until a message finds no room.
    const until = Date.now() + 500 + dice.below(4000);
    for (let n = 1; Date.now() < until || refusals.size === 0; n += 1) {
      await say(`${round}.${n} ${'x'.repeat(20_000)}`);
      await wait(20);
    }
    disk.empty();
    while (!(await say(`${round} again`))) await wait(20);
    mark += 2000;
  }
  await feed.until(isType('exit'));
  feed.close();
  expectWhole(feed.events, COUNT);
  expect(await api.events(node.id)).toEqual(feed.events);
  const kept = (await api.events(other))
    .filter(isType('message'))
    .map((one) => bodyOf(one)['content']);
  expect(refusals.size).toBeGreaterThan(0);
  expect([...refusals].every((status) => status === 0 || status >= 500)).toBe(true);
  expect(kept.filter((content) => acknowledged.includes(String(content)))).toEqual(acknowledged);
  expect(feed.events.filter(isType('exit'))).toMatchObject([
    { body: { code: 0, reason: 'exited' } },
  ]);
});

it('[F13] below the reserve an agent is held with the reason in its thread, and goes on by itself', async () => {
  using disk = smallDisk(256);
  await using instance = await startInstance({ FILEPATH_DISK_RESERVE: '64M' }, { home: disk.path });
  const api = new Api(instance);
  const { node } = await api.agent(scriptAgent('stream', '3000', '0.05', '50').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(hasNumber(100));
  disk.fill(32 * 2 ** 20);
  const held = await feed.until(isType('held'));
  expect(bodyOf(held)['reason']).toMatch(/^the runner's disk is nearly full: .* kept free$/);
  const shown = async () => (await api.tree(node.sessionId)).nodes.find(({ id }) => id === node.id);
  await expect.poll(async () => (await shown())?.reason).toMatch(/nearly full/);
  disk.empty();
  await feed.until(isType('released'));
  await feed.until(isType('exit'));
  feed.close();
  expectWhole(feed.events, 3000);
});
