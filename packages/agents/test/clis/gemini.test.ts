import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play, type Stage, stage } from './play.ts';
import { editAndCommit, multiTurn, type Scenario } from './scenarios.ts';

/** It tells the model how a command ended, and nobody else. */
const shell: Scenario = {
  name: 'shell',
  script: (hands) => [
    { text: 'I run it.', tools: [hands.shell('echo out; exit 3')] },
    { text: 'It ended with 3.' },
  ],
  play: async (agent) => {
    await agent.say('Run the command.');
    const ended = await agent.until(
      (event) => event.type === 'command' && event.status !== 'start',
      'the end of the command',
    );
    expect(ended).toMatchObject({ cmd: 'echo out; exit 3' });
    expect(ended).not.toHaveProperty('exit');
    await agent.until(({ type }) => type === 'done', 'the end of the turn');
  },
  asked: (requests) => {
    expect(requests.map(({ format }) => format)).toEqual(['google', 'google']);
    expect(requests.at(-1)?.results).toMatchObject([{ name: 'run_shell_command' }]);
    expect(requests.at(-1)?.results[0]?.text).toMatch(/out.*Exit Code: 3/s);
  },
};

/** It speaks Google's protocol, past the gateway, by a key of its own. */
describe('the real CLI of gemini, over ACP', () => {
  let set: Stage;
  beforeAll(async () => {
    set = await stage('gemini');
  });
  afterAll(async () => {
    await set[Symbol.asyncDispose]();
  });

  it.each([multiTurn, shell, editAndCommit])('[DRV1] [DRV50] $name', async (scenario) => {
    await play(set, scenario);
  });
});
