import { agentPids, chance, follow, isType, shimPids } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { copyOrder, oneRunnerTwice } from './runner-support.ts';
import { expectWhole, hasNumber, letGo, stayingStream } from './support.ts';

const COUNT = 4000;
const STREAM = [String(COUNT), '0.05', '50'];

it('[RUN49] [F6] two homes claim one agent: the first has it, the other is refused and its process killed', async () => {
  const dice = chance('two homes');
  await using system = await oneRunnerTwice();
  const { api, instance, home } = system;
  await system.run(home);
  const { node } = await api.agent(stayingStream(STREAM));
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(hasNumber(100 + dice.below(1000)));
  const other = system.newHome();
  copyOrder(home, other, node.slug);
  const logs = await system.run(other);
  await expect
    .poll(() => logs)
    .toContainEqual(expect.objectContaining({ event: 'over', message: 'fenced' }));
  expect(shimPids(other)).toEqual([]);
  expect(shimPids(home)).toHaveLength(1);
  letGo(home, node.slug);
  await feed.until(isType('exit'));
  feed.close();
  expectWhole(feed.events, COUNT);
  expect(feed.events.filter(isType('started'))).toHaveLength(1);
  expect(feed.events.filter(isType('exit'))).toMatchObject([{ body: { code: 0 } }]);
  expect(agentPids(node.id)).toEqual([]);
});

it('[RUN49] [F6] two runners on one home: one process, and the log is what it printed', async () => {
  const dice = chance('one home');
  await using system = await oneRunnerTwice();
  const { api, instance, home } = system;
  await system.run(home);
  const { node } = await api.agent(stayingStream(STREAM));
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(hasNumber(100 + dice.below(1000)));
  await system.run(home);
  letGo(home, node.slug);
  await feed.until(isType('exit'));
  feed.close();
  expectWhole(feed.events, COUNT);
  expect(feed.events.filter(isType('started'))).toHaveLength(1);
  expect(feed.events.filter(isType('exit'))).toMatchObject([{ body: { code: 0 } }]);
  expect(shimPids(home)).toEqual([]);
});

/** A parent asks for three children that are like itself but for their task, and all of them count. */
const family = (): string[] => {
  const spawn = [1, 2, 3].map(
    (n) =>
      `echo '{"type":"spawn","name":"child ${n}","agent":"custom","model":"m","task":"count"}'`,
  );
  return stayingStream(STREAM, `case "$FILEPATH_TASK" in count) ;; *) ${spawn.join('; ')} ;; esac`);
};

it('[RUN49] [F6] two homes claim every agent of a tree: each of them runs once, and no log has a gap', async () => {
  await using system = await oneRunnerTwice();
  const { api, instance, home } = system;
  await system.run(home);
  const { session, node } = await api.agent(family());
  const root = follow(instance, node.id);
  await api.message(node.id, 'go');
  const spawned = (): number => root.events.filter(isType('spawned')).length;
  await root.until((event) => isType('spawned')(event) && spawned() === 3);
  const { nodes } = await api.tree(session.id);
  const feeds = nodes.map(({ id }) => (id === node.id ? root : follow(instance, id)));
  await Promise.all(feeds.map((feed) => feed.until(hasNumber(100))));
  const other = system.newHome();
  for (const { slug } of nodes) copyOrder(home, other, slug);
  const logs = await system.run(other);
  const fenced = () =>
    logs.filter(({ event, message }) => event === 'over' && message === 'fenced');
  await expect.poll(fenced).toHaveLength(4);
  expect(shimPids(other)).toEqual([]);
  for (const { slug } of nodes) letGo(home, slug);
  await Promise.all(feeds.map((feed) => feed.until(isType('exit'))));
  for (const feed of feeds) {
    feed.close();
    expectWhole(feed.events, COUNT);
    expect(feed.events.filter(isType('started'))).toHaveLength(1);
    expect(feed.events.filter(isType('exit'))).toMatchObject([{ body: { code: 0 } }]);
  }
  expect(nodes).toHaveLength(4);
  expect(shimPids(home)).toEqual([]);
});
