import { join } from 'node:path';
import { type AgentConfig, AgentEvent } from '@filepath/protocol';
import { makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { expect, it } from 'vitest';
import { cliOf } from '../packages/agents/test/clis/clis.ts';
import { InstanceAgent } from '../packages/agents/test/clis/instance-agent.ts';
import { recordedTools } from '../packages/agents/test/clis/recorded-tools.ts';
import { exitCode } from '../packages/agents/test/clis/scenarios.ts';
import { placeStandIn } from '../packages/agents/test/stand-ins/placed.ts';

/** An instance in whose sandboxes the program is, and an agent that is given a command to run. */
async function runs(
  type: string,
  prepare: (home: string) => { model: string; config: AgentConfig },
): Promise<void> {
  using home = tempDir('filepath-home');
  using repository = tempDir('repo');
  makeRepo(repository.path);
  const { model, config } = prepare(home.path);
  await using instance = await startInstance({}, { home: home.path });
  const wish = { agentType: type, model, repository: repository.path, config };
  const agent = await InstanceAgent.create(instance, wish);
  await exitCode.play(agent);
  agent.close();
  const told = agent.log.filter(({ source }) => source === 'fap');
  expect(told.length).toBeGreaterThan(4);
  for (const { body } of told) expect(AgentEvent.safeParse(body).success).toBe(true);
  expect(agent.log.filter(({ body }) => JSON.stringify(body).includes('rejected'))).toEqual([]);
}

/** What the real CLI said, said again in its place: `npm run test:clis` has the CLI itself. */
it.each(['codex', 'opencode', 'qwen'])(
  '%s is started in the sandbox, is given a message, and what it says becomes events',
  (type) =>
    runs(type, (home) => ({
      model: cliOf(type).model,
      config: { envVars: recordedTools(home, type, exitCode.name) },
    })),
);

/** They need servers of their makers: programs that speak as their documentation says stand in their place. */
it.each([
  ['cursor', { CURSOR_API_KEY: 'of-a-person' }],
  ['amp', { AMP_API_KEY: 'of-a-person' }],
])(
  '%s is started in the sandbox, runs a command there, and what it says becomes events',
  (type, envVars) =>
    runs(type, (home) => {
      placeStandIn(type, join(home, 'tools/bin'));
      return { model: '', config: { envVars } };
    }),
);
