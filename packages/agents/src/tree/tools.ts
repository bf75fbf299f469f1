import { randomUUID } from 'node:crypto';
import {
  AgentTypeName,
  Budget,
  Child,
  ChildMessages,
  Children,
  MAX_WAIT_SECONDS,
  NetworkConfig,
} from '@filepath/protocol';
import { cutMiddle, defineTool, type LoopTool } from '@filepath/loop';
import { z } from 'zod';
import { ChildId } from './child-id.ts';
import { askGateway, type TreeGateway } from './gateway.ts';
import { memoryTools } from './memory-tools.ts';
import { mergeChild } from './merge-child.ts';
import { childrenText } from './words.ts';

/** What these tools are made with. */
export type TreeDesk = {
  readonly gateway: TreeGateway;
  /** Seconds that one call of `wait_children` waits at most. */
  readonly longestWait: number;
  /** Called now and then during a wait, so that its silence is not taken for a hang. */
  readonly waits: () => void;
  /** Whether something came for the agent that it is to see before it waits on. */
  readonly called?: () => boolean;
};

/** How long one request waits where the agent can be called meanwhile. */
const CALLABLE_SECONDS = 5;
const SILENT_MS = 40_000;

const MAX_TEXT = 40_000;

/** The abilities of every agent in a tree. Agents of filepath have them as tools, others by MCP. */
export function treeTools(desk: TreeDesk): LoopTool[] {
  return [
    spawnAgent(desk),
    listChildren(desk),
    readChildMessages(desk),
    waitChildren(desk),
    sendToChild(desk),
    stopChild(desk),
    ...memoryTools(desk.gateway),
    mergeChild(desk.gateway),
  ];
}

/** The abilities themselves are no danger: what a child does is asked for by the child. */
export const TREE_TOOLS: ReadonlySet<string> = new Set([
  'spawn_agent',
  'list_children',
  'read_child_messages',
  'wait_children',
  'send_to_child',
  'stop_child',
  'remember',
  'recall',
  'forget',
  'merge_child',
]);

function spawnAgent({ gateway }: TreeDesk): LoopTool {
  return defineTool({
    name: 'spawn_agent',
    description:
      'Start a child agent on a part of the work. It has its own copy of the repository, and knows nothing but its task. When it ends, its result comes to you as a message.',
    input: z.object({
      name: z.string().min(1).max(120).describe('short, says what it is for'),
      task: z.string().min(1).max(60_000),
      agent: AgentTypeName.optional().describe('the kind of agent; your own unless given'),
      model: z.string().min(1).max(200).optional().describe('your own unless given'),
      budget: Budget.partial()
        .optional()
        .describe('at most so many tokens, or so much money, for it and all below it'),
      network: NetworkConfig.optional().describe('what it may reach; never more than you'),
    }),
    readOnly: false,
    async run({ budget, ...wish }, { signal }) {
      const limits = budget && { tokens: budget.tokens ?? null, usd: budget.usd ?? null };
      const body = { key: randomUUID(), ...wish, ...(limits && { budget: limits }) };
      const answer = await askGateway(gateway, { path: 'children', body, signal });
      const { child } = z.object({ child: Child }).parse(answer);
      const { name, agentType, id } = child;
      return { ok: true, text: `Started ${JSON.stringify(name)} (${agentType}) as ${id}.` };
    },
  });
}

function listChildren({ gateway }: TreeDesk): LoopTool {
  return defineTool({
    name: 'list_children',
    description: 'Your child agents with their status and what those that ended said last.',
    input: z.object({}),
    readOnly: true,
    async run(_, { signal }) {
      const answer = await askGateway(gateway, { path: 'children', signal });
      return { ok: true, text: childrenText(Children.parse(answer)) };
    },
  });
}

function readChildMessages({ gateway }: TreeDesk): LoopTool {
  return defineTool({
    name: 'read_child_messages',
    description: 'What a child agent was told and said: the last of it, or what came after a seq.',
    input: z.object({ id: ChildId, after: z.int().min(0).optional() }),
    readOnly: true,
    async run({ id, after }, { signal }) {
      const query = after === undefined ? '' : `?after=${after}`;
      const answer = await askGateway(gateway, { path: `children/${id}/messages${query}`, signal });
      const { messages } = ChildMessages.parse(answer);
      if (messages.length === 0) return { ok: true, text: 'It has said nothing yet.' };
      const lines = messages.map(({ role, text }) => `${role}: ${text}`);
      const more = `\n\n[up to seq ${messages.at(-1)?.seq}]`;
      return { ok: true, text: cutMiddle(lines.join('\n\n'), MAX_TEXT) + more };
    },
  });
}

function waitChildren(desk: TreeDesk): LoopTool {
  const { gateway, longestWait, waits, called } = desk;
  const longest = called === undefined ? MAX_WAIT_SECONDS : CALLABLE_SECONDS;
  return defineTool({
    name: 'wait_children',
    description:
      'Wait until none of your child agents works, and see what they said last. You need not wait: without it, each result comes to you as a message.',
    input: z.object({
      ids: z.array(ChildId).min(1).max(100).optional().describe('all of them unless given'),
      seconds: z.number().min(0).max(longestWait).optional().describe('to wait at most'),
    }),
    readOnly: true,
    async run({ ids, seconds = longestWait }, { signal }) {
      const until = Date.now() + seconds * 1_000;
      let heard = Date.now();
      for (;;) {
        const left = Math.max(0, (until - Date.now()) / 1_000);
        const part = Math.min(left, longest);
        const answer = await askGateway(gateway, {
          path: 'children/wait',
          body: { seconds: part, ...(ids && { children: ids }) },
          timeoutMs: (part + 20) * 1_000,
          signal,
        });
        const known = Children.parse(answer);
        const working = known.children.filter(({ works }) => works).length;
        const now = Date.now();
        const isCalled = called?.() === true;
        if (working > 0 && now < until && !isCalled) {
          if (now - heard < SILENT_MS && called !== undefined) continue;
          waits();
          heard = now;
          continue;
        }
        const why = isCalled ? 'something came for you: see to it, then ' : '';
        const still =
          working === 0 ? '' : `\n${working} still at work: ${why}wait again, or go on.`;
        return { ok: true, text: childrenText(known) + still };
      }
    },
  });
}

function sendToChild({ gateway }: TreeDesk): LoopTool {
  return defineTool({
    name: 'send_to_child',
    description:
      'Say something to a child agent. It steers one that works and wakes one that ended.',
    input: z.object({ id: ChildId, content: z.string().min(1).max(60_000) }),
    readOnly: false,
    async run({ id, content }, { signal }) {
      const body = { content, key: randomUUID() };
      await askGateway(gateway, { path: `children/${id}/messages`, body, signal });
      return { ok: true, text: 'Sent.' };
    },
  });
}

function stopChild({ gateway }: TreeDesk): LoopTool {
  return defineTool({
    name: 'stop_child',
    description: 'Stop a child agent with everything below it.',
    input: z.object({ id: ChildId }),
    readOnly: false,
    async run({ id }, { signal }) {
      const answer = await askGateway(gateway, { path: `children/${id}/stop`, body: {}, signal });
      return { ok: true, text: childrenText(Children.parse(answer)) };
    },
  });
}
