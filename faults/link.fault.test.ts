import { startRunner } from '@filepath/runner';
import { RunnerId } from '@filepath/protocol';
import { startEngine } from '@filepath/worker/engine';
import {
  Api,
  chance,
  endAgents,
  faultsBy,
  follow,
  freePort,
  isType,
  scriptAgent,
  startFaultProxy,
  tempDir,
} from '@filepath/testkit';
import { expect, it } from 'vitest';
import { expectWhole } from './support.ts';

it('[F4] [F5] frames cut, doubled, overtaken, acks lost: the log is what the agent printed', async () => {
  const dice = chance('link');
  using home = tempDir('filepath-home');
  const port = await freePort();
  const token = 'owner-token-0123456789abcdef0123456789';
  const runnerToken = 'runner-token-0123456789abcdef01234567';
  const engine = await startEngine({
    home: home.path,
    host: '127.0.0.1',
    port,
    bindings: {
      FILEPATH_TOKEN: token,
      FILEPATH_RUNNER_TOKEN: runnerToken,
      FILEPATH_SECRET: 'secret-0123456789abcdef0123456789abcdef',
      FILEPATH_ORIGINS: `http://127.0.0.1:${port}`,
    },
  });
  const proxy = await startFaultProxy(engine.url, faultsBy(dice, 12));
  const runner = await startRunner({
    home: home.path,
    url: proxy.url,
    token: runnerToken,
    id: RunnerId.parse('rn_local'),
    log: () => undefined,
    reconnectMs: 20,
  });
  try {
    const instance = { url: engine.url, token };
    const api = new Api(instance);
    const { node } = await api.agent(scriptAgent('stream', '5000', '0.01', '10').command);
    const feed = follow(instance, node.id);
    await api.message(node.id, 'go');
    await feed.until(isType('exit'));
    feed.close();
    expectWhole(feed.events, 5000);
    expect(feed.events.filter(isType('started'))).toHaveLength(1);
    const { pass, ...faults } = proxy.count;
    expect(pass).toBeGreaterThan(0);
    for (const times of Object.values(faults)) expect(times).toBeGreaterThan(0);
  } finally {
    await runner.stop();
    await proxy.close();
    await engine.stop();
    endAgents(home.path);
  }
});
