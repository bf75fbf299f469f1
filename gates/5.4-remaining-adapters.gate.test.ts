import { makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { cliOf } from '../packages/agents/test/clis/clis.ts';
import { InstanceAgent } from '../packages/agents/test/clis/instance-agent.ts';
import { recordedTools } from '../packages/agents/test/clis/recorded-tools.ts';
import { exitCode } from '../packages/agents/test/clis/scenarios.ts';

/** What the real CLI said, said again in its place: `npm run test:clis` has the CLI itself. */
it.each(['codex'])(
  '%s is started in the sandbox, is given a message, and what it says becomes events',
  async (type) => {
    using home = tempDir('filepath-home');
    using repository = tempDir('repo');
    makeRepo(repository.path);
    const envVars = recordedTools(home.path, type, exitCode.name);
    await using instance = await startInstance({}, { home: home.path });
    const agent = await InstanceAgent.create(instance, {
      agentType: type,
      model: cliOf(type).model,
      repository: repository.path,
      config: { envVars },
    });
    await exitCode.play(agent);
    agent.close();
    expect(agent.log.filter(({ source }) => source === 'fap').length).toBeGreaterThan(4);
    expect(agent.log.filter((event) => JSON.stringify(event.body).includes('rejected'))).toEqual(
      [],
    );
  },
);
