import {
  Api,
  chance,
  follow,
  isType,
  scriptAgent,
  shimPids,
  startInstance,
} from '@filepath/testkit';
import { expect, it } from 'vitest';
import { expectWhole, hasNumber, letGo, processExists, stayingStream } from './support.ts';

const COUNT = 5000;

it('[F1] [F2] kill -9 of the engine, of the process, of both: every event once, in order, the agent lives', async () => {
  const dice = chance('kills');
  await using instance = await startInstance();
  const api = new Api(instance);
  const { node } = await api.agent(stayingStream([String(COUNT), '0.2', '50']));
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('started'));
  const [shim] = shimPids(instance.home);
  if (shim === undefined) throw new Error('no shim');

  const at = (from: number): number => from + dice.below(700);
  await feed.until(hasNumber(at(300)));
  await instance.killEngine();
  await feed.until(hasNumber(at(1500)));
  await instance.killProcess();
  expect(processExists(shim)).toBe(true);
  await instance.start();
  await feed.until(hasNumber(at(2700)));
  process.kill(instance.enginePid(), 'SIGKILL');
  await instance.killProcess();
  expect(processExists(shim)).toBe(true);
  await instance.start();
  letGo(instance.home, node.slug);
  await feed.until(isType('exit'));
  feed.close();

  expectWhole(feed.events, COUNT);
  expect(await api.events(node.id)).toEqual(feed.events);
  expect(feed.events.filter(isType('started'))).toHaveLength(1);
  expect(feed.events.filter(isType('exit'))).toMatchObject([
    { body: { code: 0, reason: 'exited' } },
  ]);
});

it('[F1] fifty kills of the engine mid-stream lose and double nothing', async () => {
  const dice = chance('fifty kills');
  await using instance = await startInstance();
  const api = new Api(instance);
  const count = 20_000;
  const { node } = await api.agent(scriptAgent('stream', String(count), '0.1', '40').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  let kills = 0;
  for (let mark = 20; kills < 50; kills += 1) {
    mark += 20 + dice.below(200);
    await feed.until(hasNumber(mark));
    await instance.killEngine();
  }
  await feed.until(isType('exit'));
  feed.close();
  expect(kills).toBe(50);
  expectWhole(feed.events, count);
  expect(await api.events(node.id)).toEqual(feed.events);
});
