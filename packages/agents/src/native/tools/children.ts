import { setTimeout } from 'node:timers/promises';
import { AgentTypeName } from '@filepath/protocol';
import { cutMiddle, defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import type { Kit } from '../kit.ts';

const Children = z.object({
  children: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      agentType: z.string(),
      model: z.string(),
      status: z.string(),
      reason: z.string().nullish(),
    }),
  ),
});

const Messages = z.object({
  messages: z.array(z.object({ seq: z.number(), role: z.string(), text: z.string() })),
});

export function spawnAgentTool(kit: Kit): LoopTool {
  return defineTool({
    name: 'spawn_agent',
    description:
      'Start a child agent on a part of the work. It has its own copy of the repository, and knows nothing but its task.',
    input: z.object({
      name: z.string().min(1).max(120).describe('short, says what it is for'),
      task: z.string().min(1).max(60_000),
      agent: AgentTypeName.optional().describe('the kind of agent; your own unless given'),
      model: z.string().min(1).max(200).optional().describe('your own unless given'),
    }),
    readOnly: false,
    run({ name, task, agent = kit.agentType, model = kit.model }) {
      kit.emit({ type: 'spawn', name, agent, model, task });
      const text = `Asked for ${JSON.stringify(name)} (${agent}). list_children tells how it is.`;
      return Promise.resolve({ ok: true, text });
    },
  });
}

/** Said now and then, so that its silence is not taken for a hang. */
const WAITING = { type: 'status', state: 'running', reason: 'waits for its children' } as const;

export function listChildrenTool(kit: Kit): LoopTool {
  return defineTool({
    name: 'list_children',
    description: 'Your child agents with their status. With wait: first waits until none works.',
    input: z.object({
      wait: z.int().min(0).max(600).optional().describe('seconds to wait at most'),
    }),
    readOnly: true,
    async run({ wait = 0 }, { signal }) {
      const until = Date.now() + wait * 1_000;
      // A child that was asked for just now is not there at once.
      if (wait > 0) await setTimeout(1_000, undefined, { signal });
      for (let polls = 0; ; polls += 1) {
        if (polls > 0 && polls % 30 === 0) kit.emit(WAITING);
        const { children } = Children.parse(await ask(kit, 'agent/children', signal));
        if (Date.now() >= until || !children.some(works)) {
          return { ok: true, text: children.length === 0 ? 'No children.' : table(children) };
        }
        await setTimeout(2_000, undefined, { signal });
      }
    },
  });
}

type Child = z.infer<typeof Children>['children'][number];

function works({ status, reason }: Child): boolean {
  return (
    status === 'thinking' || status === 'running' || (status === 'idle' && reason === 'queued')
  );
}

function table(children: readonly Child[]): string {
  return children
    .map(({ id, name, agentType, status, reason }) => {
      const why = reason ? ` (${reason})` : '';
      return `${id} ${JSON.stringify(name)} ${agentType}: ${status}${why}`;
    })
    .join('\n');
}

export function readChildMessagesTool(kit: Kit): LoopTool {
  return defineTool({
    name: 'read_child_messages',
    description: 'What a child agent was told and said.',
    input: z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
    readOnly: true,
    async run({ id }, { signal }) {
      const answer = await ask(kit, `agent/children/${id}/messages`, signal);
      const { messages } = Messages.parse(answer);
      if (messages.length === 0) return { ok: true, text: 'It has said nothing yet.' };
      const lines = messages.map(({ role, text }) => `${role}: ${text}`);
      return { ok: true, text: cutMiddle(lines.join('\n\n'), 40_000) };
    },
  });
}

async function ask({ gateway }: Kit, path: string, signal: AbortSignal): Promise<unknown> {
  const answer = await fetch(`${gateway.baseUrl}/${path}`, {
    headers: { authorization: `Bearer ${gateway.apiKey}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  });
  if (answer.status === 404) throw new Error('There is no such child.');
  if (!answer.ok) throw new Error(`filepath answered ${answer.status} when asked for children.`);
  return answer.json();
}
