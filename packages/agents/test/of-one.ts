import type { AgentEvent } from '@filepath/protocol';
import { expect } from 'vitest';
import { QUEUED_STEER, QUIET_RATE_LIMIT, REFUSAL_ENDS } from './acp/of-acp.ts';
import { type Scenario, SCENARIOS } from './clis/scenarios.ts';

const OF_ONE: Record<string, readonly Scenario[]> = {
  'claude-code': [
    {
      name: 'plan-and-thought',
      script: () => [
        {
          reasoning: 'Two things are to be done.',
          tools: [
            { name: 'TaskCreate', input: { subject: 'Look', description: 'Look around' } },
            { name: 'TaskCreate', input: { subject: 'Leap', description: 'Then leap' } },
          ],
        },
        { tools: [{ name: 'TaskUpdate', input: { taskId: '1', status: 'in_progress' } }] },
        { tools: [{ name: 'TaskUpdate', input: { taskId: '1', status: 'completed' } }] },
        { text: 'I have looked.' },
      ],
      play: async (agent) => {
        await agent.say('Look before you leap.');
        await agent.until(isDone, 'the end of the turn');
        const plans = agent.events().filter(({ type }) => type === 'plan');
        expect(plans.at(-1)).toMatchObject({
          steps: [
            { title: 'Look', status: 'done' },
            { title: 'Leap', status: 'pending' },
          ],
        });
        const thought = agent.events().find((event) => Reflect.get(event, 'thinking') === true);
        expect(thought).toMatchObject({ type: 'log', message: 'Two things are to be done.' });
      },
    },
    {
      name: 'sub-agent',
      script: () => (request) => {
        const sub = request.messages[0]?.text.includes('Count the files of this folder.') ?? false;
        if (sub && request.results.length === 0) {
          return { tools: [{ name: 'Bash', input: { command: 'ls | wc -l' } }] };
        }
        if (sub) return { text: 'There are none.' };
        if (request.raw.includes('There are none.')) return { text: 'It has no files.' };
        if (request.replies > 0) return { text: 'I wait for it.' };
        const prompt = 'Count the files of this folder.';
        const input = { description: 'count', prompt, subagent_type: 'general-purpose' };
        return { tools: [{ name: 'Agent', input: { ...input, run_in_background: false } }] };
      },
      play: async (agent) => {
        await agent.say('How many are there?');
        await agent.until(isDone, 'the end of the turn');
        const call = agent.events().find((event) => event.type === 'tool');
        const command = agent.events().find((event) => event.type === 'command');
        expect(call).toMatchObject({ name: 'Agent', status: 'start' });
        expect(command).toMatchObject({ cmd: 'ls | wc -l', parent: Reflect.get(call ?? {}, 'id') });
      },
    },
  ],
  opencode: [QUIET_RATE_LIMIT],
  qwen: [QUIET_RATE_LIMIT, QUEUED_STEER],
  'claude-acp': [QUIET_RATE_LIMIT],
  'codex-acp': [QUIET_RATE_LIMIT, REFUSAL_ENDS],
};

const isDone = (event: AgentEvent): boolean => event.type === 'done';

/** The scenarios of a CLI: its own stand in the place of those with the same name. */
export function scenariosOf(type: string): readonly Scenario[] {
  const own = OF_ONE[type] ?? [];
  const names = new Set(own.map(({ name }) => name));
  return [...SCENARIOS.filter(({ name }) => !names.has(name)), ...own];
}
