import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scenariosOf } from '../of-one.ts';
import type { InstanceAgent } from './instance-agent.ts';
import { play, type Stage, stage } from './play.ts';
import { editAndCommit, rateLimit } from './scenarios.ts';

/** Three formats of the gateway: Anthropic's, OpenAI's chat completions and its responses. */
describe.each(['opencode', 'qwen', 'codex-acp'])('the real CLI of %s, over ACP', (type) => {
  let set: Stage;
  beforeAll(async () => {
    set = await stage(type);
  });
  afterAll(async () => {
    await set[Symbol.asyncDispose]();
  });

  it.each(scenariosOf(type))('[DRV1] $name', async (scenario) => {
    await play(set, scenario, {
      look: (agent) => {
        if (scenario.name === editAndCommit.name) return seesCommit(agent);
        if (scenario.name === rateLimit.name) return gatewayTells(agent);
      },
    });
  });
});

/** The runner sees the commit by itself. */
async function seesCommit(agent: InstanceAgent): Promise<void> {
  await expect
    .poll(() => JSON.stringify(agent.log.filter(({ source }) => source === 'runner')))
    .toContain('docs: notes');
}

/** The program says nothing of the limit: the thread knows of it by the gateway. */
async function gatewayTells(agent: InstanceAgent): Promise<void> {
  await expect
    .poll(() => agent.log.filter(({ source }) => source === 'gateway').map(({ body }) => body))
    .toContainEqual(expect.objectContaining({ outcome: 'failed', status: 429 }));
}
