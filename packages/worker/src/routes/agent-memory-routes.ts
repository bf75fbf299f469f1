import { AgentMemoryCreate, Memory, MemoryScope, MemoryStored } from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import type { Agent } from '../gateway/access.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import type { MemoryView } from '../session/memory-desk.ts';
import { MemoryParams } from './memory-routes.ts';

const Query = z.object({
  q: z.string().max(1000).optional(),
  scope: MemoryScope.optional(),
  limit: z.coerce.number().int().min(1).max(50).optional(),
});

/** The session knows whose agent it is; what is remembered is with its user. */
async function viewOf(env: Env, agent: Agent): Promise<MemoryView> {
  return unwrap(await env.SESSION.getByName(agent.session).memoryView(agent));
}

/** What an agent may do with what is remembered of itself, its session, its repository and its user. */
export const agentMemoryRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/gateway/agent/memories',
      summary:
        'What the agent that asks can see of memory: what fits `q` best, or what is near, new and used.',
      access: 'agent',
      query: Query,
      responses: {
        200: {
          description: 'Best first, 20 unless told.',
          schema: z.object({ memories: z.array(Memory) }),
        },
      },
    },
    async ({ env, agent, query }) => {
      const { owner, sight } = await viewOf(env, agent);
      const { q = '', scope, limit = 20 } = query;
      const user = env.USER.getByName(owner);
      return json({ memories: await user.recallMemories(sight, q, scope, limit) });
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/gateway/agent/memories',
      summary:
        'Remember something; for the repository unless told, or for the session where there is none.',
      access: 'agent',
      body: AgentMemoryCreate,
      responses: {
        201: { description: 'Stored, and how many others went for it.', schema: MemoryStored },
      },
    },
    async ({ env, agent, body }) => {
      const session = env.SESSION.getByName(agent.session);
      return json(unwrap(await session.remember(agent, body)), 201);
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/gateway/agent/memories/:memoryId',
      summary: 'Forget something that the agent can see, unless a person wrote it.',
      access: 'agent',
      params: MemoryParams,
      responses: { 204: { description: 'Forgotten.' } },
    },
    async ({ env, agent, params }) => {
      const { owner, sight } = await viewOf(env, agent);
      unwrap(await env.USER.getByName(owner).forgetMemory(sight, params.memoryId));
      return noContent();
    },
  ),
];
