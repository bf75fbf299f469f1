import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEntry } from '@filepath/protocol';
import type { ToolCall } from '@filepath/testkit';
import { expect, it } from 'vitest';
import type { InstanceAgent } from './instance-agent.ts';
import { play, stage } from './play.ts';
import type { Scenario } from './scenarios.ts';

/** A child that says one thing. */
const HELPER: AgentEntry = {
  type: 'helper',
  name: 'Helper',
  description: 'Says that it helped.',
  icon: 'box',
  defaultModel: 'none',
  driver: { kind: 'custom', command: ['printf', '{"type":"done","summary":"helped a lot"}\\n'] },
  metered: true,
};

/** A repository that would have its own server under the same name. */
const TRAPS: Record<string, string> = {
  '.mcp.json': JSON.stringify({ mcpServers: { filepath: { command: 'false', args: [] } } }),
  '.codex/config.toml': '[mcp_servers.filepath]\ncommand = "false"\n',
  'opencode.json': JSON.stringify({ mcp: { filepath: { type: 'local', command: ['false'] } } }),
};

type Named = Pick<ToolCall, 'name' | 'namespace'>;

/** How a model names a tool of filepath, in each CLI. */
const NAMES: Record<string, (tool: string) => Named> = {
  'claude-code': (tool) => ({ name: `mcp__filepath__${tool}` }),
  codex: (tool) => ({ namespace: 'mcp__filepath', name: tool }),
  opencode: (tool) => ({ name: `filepath_${tool}` }),
};

const scenario = (nameOf: (tool: string) => Named): Scenario => ({
  name: 'tree',
  permissions: 'ask',
  script: () => [
    {
      tools: [
        {
          ...nameOf('spawn_agent'),
          input: { name: 'helper', task: 'help', agent: 'helper' },
        },
      ],
    },
    { tools: [{ ...nameOf('wait_children'), input: {} }] },
    { text: 'It is done.' },
  ],
  play: async (agent) => {
    await agent.say('Have it done.');
    await agent.until(({ type }) => type === 'done', 'the end of the turn');
    expect(agent.events().filter(({ type }) => type === 'decision')).toEqual([]);
  },
  asked: (requests) => {
    expect(requests.at(-1)?.raw).toContain('helped a lot');
  },
});

it.each(Object.keys(NAMES))(
  '[TALK7] the real CLI of %s spawns a child and waits for it, without asking a person',
  async (type) => {
    await using set = await stage(type, (home) => {
      mkdirSync(join(home, 'catalog'), { recursive: true });
      writeFileSync(join(home, 'catalog', 'helper.json'), JSON.stringify(HELPER));
    });
    const nameOf = NAMES[type] ?? ((name: string) => ({ name }));
    await play(set, scenario(nameOf), {
      files: TRAPS,
      look: (agent: InstanceAgent) => {
        const spawned = agent.log.filter(
          ({ source, body }) =>
            source === 'system' && Reflect.get(Object(body), 'type') === 'spawned',
        );
        expect(spawned.map(({ body }) => body)).toMatchObject([{ name: 'helper', task: 'help' }]);
      },
    });
  },
);
