import { makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { InstanceAgent } from '../packages/agents/test/clis/instance-agent.ts';
import { recordedTools } from '../packages/agents/test/clis/recorded-tools.ts';
import { editAndCommit, multiTurn } from '../packages/agents/test/clis/scenarios.ts';

/** What the real CLI said, said again in its place: `npm run test:clis` has the CLI itself. */
it.each([multiTurn, editAndCommit])(
  'claude is started in the sandbox, is given messages, and what it says becomes events: $name',
  async (scenario) => {
    using home = tempDir('filepath-home');
    using repository = tempDir('repo');
    makeRepo(repository.path);
    const envVars = recordedTools(home.path, 'claude-code', scenario.name);
    await using instance = await startInstance({}, { home: home.path });
    const agent = await InstanceAgent.create(instance, {
      agentType: 'claude-code',
      model: 'claude-sonnet-4',
      repository: repository.path,
      config: { envVars },
    });
    await scenario.play(agent);
    agent.close();
    expect(agent.log.filter(({ source }) => source === 'fap').length).toBeGreaterThan(4);
    expect(agent.log.filter((event) => JSON.stringify(event.body).includes('rejected'))).toEqual(
      [],
    );
  },
);
