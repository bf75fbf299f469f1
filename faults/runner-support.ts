import { RunnerId } from '@filepath/protocol';
import { type Runner, type RunnerLog, startRunner } from '@filepath/runner';
import { Api, endAgents, freePort, tempDir } from '@filepath/testkit';
import { startEngine } from '@filepath/worker/engine';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const TOKEN = 'owner-token-0123456789abcdef0123456789';
const RUNNER_TOKEN = 'runner-token-0123456789abcdef01234567';

/** An engine and as many runners with one identity as are asked for. */
export async function oneRunnerTwice() {
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

/** The order of an agent's first epoch in a second home, as after a copy: its runner starts the same epoch. */
export function copyOrder(home: string, other: string, slug: string): void {
  const run = join('agents', slug, 'run', '1');
  mkdirSync(join(other, run), { recursive: true });
  cpSync(join(home, 'agents', slug, 'agent.json'), join(other, 'agents', slug, 'agent.json'));
  cpSync(join(home, run, 'order.json'), join(other, run, 'order.json'));
}
