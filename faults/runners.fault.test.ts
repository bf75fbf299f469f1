import { RunnerId } from '@filepath/protocol';
import { type Runner, type RunnerLog, startRunner } from '@filepath/runner';
import {
  agentPids,
  Api,
  chance,
  endAgents,
  follow,
  freePort,
  isType,
  scriptAgent,
  shimPids,
  tempDir,
} from '@filepath/testkit';
import { startEngine } from '@filepath/worker/engine';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { expectWhole, hasNumber } from './support.ts';

const COUNT = 4000;
const TOKEN = 'owner-token-0123456789abcdef0123456789';
const RUNNER_TOKEN = 'runner-token-0123456789abcdef01234567';

/** An engine and as many runners with one identity as are asked for. */
async function oneRunnerTwice() {
  const home = tempDir('filepath-home');
  const port = await freePort();
  const engine = await startEngine({
    home: home.path,
    host: '127.0.0.1',
    port,
    bindings: {
      FILEPATH_TOKEN: TOKEN,
      FILEPATH_RUNNER_TOKEN: RUNNER_TOKEN,
      FILEPATH_SECRET: 'secret-0123456789abcdef0123456789abcdef',
      FILEPATH_ORIGINS: `http://127.0.0.1:${port}`,
    },
  });
  const runners: Runner[] = [];
  const homes = [home];
  return {
    home: home.path,
    api: new Api({ url: engine.url, token: TOKEN }),
    instance: { url: engine.url, token: TOKEN },
    newHome: (): string => {
      const other = tempDir('filepath-home');
      homes.push(other);
      return other.path;
    },
    run: async (path: string): Promise<RunnerLog[]> => {
      const logs: RunnerLog[] = [];
      const id = RunnerId.parse('rn_local');
      const log = (event: RunnerLog): void => void logs.push(event);
      const options = { home: path, url: engine.url, token: RUNNER_TOKEN, id, log };
      runners.push(await startRunner({ ...options, reconnectMs: 20 }));
      return logs;
    },
    [Symbol.asyncDispose]: async () => {
      for (const runner of runners) await runner.stop();
      await engine.stop();
      for (const { path } of homes) endAgents(path);
      for (const one of homes) one.remove();
    },
  };
}

it('[RUN49] [F6] two homes claim one agent: the first has it, the other is refused and its process killed', async () => {
  const dice = chance('two homes');
  await using system = await oneRunnerTwice();
  const { api, instance, home } = system;
  await system.run(home);
  const { node } = await api.agent(scriptAgent('stream', String(COUNT), '0.05', '50').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(hasNumber(100 + dice.below(1000)));
  // The order is in a second home too, as after a copy: its runner starts the same epoch.
  const other = system.newHome();
  const [slug = ''] = (await api.tree(node.sessionId)).nodes.map((one) => one.slug);
  const run = join('agents', slug, 'run', '1');
  mkdirSync(join(other, run), { recursive: true });
  cpSync(join(home, 'agents', slug, 'agent.json'), join(other, 'agents', slug, 'agent.json'));
  cpSync(join(home, run, 'order.json'), join(other, run, 'order.json'));
  const logs = await system.run(other);
  await vi.waitFor(
    () =>
      expect(logs).toContainEqual(expect.objectContaining({ event: 'over', message: 'fenced' })),
    { timeout: 30_000 },
  );
  expect(shimPids(other)).toEqual([]);
  expect(shimPids(home)).toHaveLength(1);
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
  const { node } = await api.agent(scriptAgent('stream', String(COUNT), '0.05', '50').command);
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(hasNumber(100 + dice.below(1000)));
  await system.run(home);
  await feed.until(isType('exit'));
  feed.close();
  expectWhole(feed.events, COUNT);
  expect(feed.events.filter(isType('started'))).toHaveLength(1);
  expect(feed.events.filter(isType('exit'))).toMatchObject([{ body: { code: 0 } }]);
  expect(shimPids(home)).toEqual([]);
});
