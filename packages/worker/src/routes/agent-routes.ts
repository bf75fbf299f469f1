import { AgentState, ThreadId } from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import type { Agent } from '../gateway/access.ts';
import { defineRoute, json, type Route } from '../http/route.ts';
import { notFound, unwrap } from '../result.ts';

const Child = z.object({
  id: ThreadId,
  name: z.string(),
  agentType: z.string(),
  model: z.string(),
  status: AgentState,
  reason: z.string().nullable(),
});

const Talk = z.object({
  seq: z.int().min(1),
  role: z.enum(['user', 'parent', 'system', 'agent']),
  text: z.string(),
});

const TalkQuery = z.object({ after: z.coerce.number().int().min(0).optional() });

async function childrenOf(env: Env, agent: Agent): Promise<z.infer<typeof Child>[]> {
  const nodes = unwrap(await env.SESSION.getByName(agent.session).childrenOf(agent));
  return nodes.map((node) => Child.parse(node));
}

/** What an agent may ask about its own children. */
export const agentRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/gateway/agent/children',
      summary: 'The direct children of the agent that asks.',
      access: 'agent',
      responses: {
        200: { description: 'Children.', schema: z.object({ children: z.array(Child) }) },
      },
    },
    async ({ env, agent }) => json({ children: await childrenOf(env, agent) }),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/gateway/agent/children/:threadId/messages',
      summary:
        'What a direct child was told and said: the first messages after a seq, or without one the last.',
      access: 'agent',
      params: z.object({ threadId: ThreadId }),
      query: TalkQuery,
      responses: {
        200: { description: 'In their order.', schema: z.object({ messages: z.array(Talk) }) },
      },
    },
    async ({ env, agent, params, query }) => {
      const children = await childrenOf(env, agent);
      if (!children.some(({ id }) => id === params.threadId)) throw notFound('this child');
      const thread = env.THREAD.getByName(params.threadId);
      return json({ messages: await thread.talk(query.after ?? null) });
    },
  ),
];
