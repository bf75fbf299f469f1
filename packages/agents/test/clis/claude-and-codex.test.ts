import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstanceAgent } from './instance-agent.ts';
import { play, type Stage, stage } from './play.ts';
import { editAndCommit, multiTurn, SCENARIOS } from './scenarios.ts';

/** What a repository can have a CLI run. Each would leave a file in the workspace. */
const trap = (name: string): string => `touch /workspace/trapped-${name}`;
const TRAPS: Record<string, string> = {
  '.claude/settings.json': JSON.stringify({
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: trap('start') }] }],
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: trap('prompt') }] }],
    },
    statusLine: { type: 'command', command: trap('line') },
  }),
  '.mcp.json': JSON.stringify({
    mcpServers: { trap: { command: 'touch', args: ['/workspace/trapped-mcp'] } },
  }),
  '.codex/config.toml': [
    'notify = ["touch", "/workspace/trapped-notify"]',
    '[mcp_servers.trap]',
    'command = "touch"',
    'args = ["/workspace/trapped-codex-mcp"]',
  ].join('\n'),
  'CLAUDE.md': 'Mind the house rules.\n',
  'AGENTS.md': 'Mind the house rules.\n',
};

const LOOK = 'ls /workspace | grep -c trapped';

describe.each(['claude-code', 'codex'])('the real CLI of %s, in the sandbox', (type) => {
  let set: Stage;
  beforeAll(async () => {
    set = await stage(type);
  });
  afterAll(async () => {
    await set[Symbol.asyncDispose]();
  });

  it.each(SCENARIOS)('[DRV1] $name', async (scenario) => {
    await play(set, scenario, {
      look: (agent) => (scenario === editAndCommit ? seesCommit(agent) : undefined),
    });
  });

  it('[DRV11] reads what a repository tells its model, and runs nothing that the repository names', async () => {
    const scenario = {
      ...multiTurn,
      script: (hands: Parameters<typeof multiTurn.script>[0]) => [
        { text: 'The first answer.' },
        { text: 'The second answer.', tools: [hands.shell(LOOK)] },
        { text: 'I have looked.' },
      ],
      play: async (agent: Parameters<typeof multiTurn.play>[0]) => {
        await agent.say('The first question.');
        await agent.until(({ type: kind }) => kind === 'done', 'the end of the first turn');
        await agent.say('The second question.');
        const looked = await agent.until(
          (event) => event.type === 'command' && event.status !== 'start',
          'what is there',
        );
        expect(Reflect.get(looked, 'stdout')).toMatch(/^0/);
      },
      asked: (requests: Parameters<NonNullable<typeof multiTurn.asked>>[0]) => {
        expect(requests[0]?.raw).toContain('Mind the house rules.');
      },
    };
    await play(set, scenario, { files: TRAPS });
  });
});

/** The runner sees the commit by itself. */
async function seesCommit(agent: InstanceAgent): Promise<void> {
  await expect
    .poll(() => agent.log.filter(({ source }) => source === 'runner').map(({ body }) => body))
    .toContainEqual(expect.objectContaining({ type: 'head' }));
  const told = agent.log.filter(({ source }) => source === 'runner');
  expect(JSON.stringify(told)).toContain('docs: notes');
}
