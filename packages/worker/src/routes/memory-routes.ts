import {
  Memory,
  MemoryCreate,
  MemoryId,
  MemoryPatch,
  MemoryScope,
  MemoryStored,
  repositoryKey,
} from '@filepath/protocol';
import { z } from 'zod';

import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { placeFor } from './memory-place.ts';

export const MemoryParams = z.object({ memoryId: MemoryId });

const ListQuery = z.object({
  q: z.string().max(1000).optional(),
  scope: MemoryScope.optional(),
  repository: z.string().min(1).max(4096).optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
});

const Listed = z.object({ memories: z.array(Memory), total: z.int().min(0) });

/** What a person may do with what is remembered. */
export const memoryRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/memories',
      summary:
        'What is remembered for the caller: the newest, or with `q` what fits best. `total` counts the scope and repository that were asked for.',
      access: 'user',
      query: ListQuery,
      responses: { 200: { description: 'Memories, 100 unless told.', schema: Listed } },
    },
    async ({ env, userId, query }) => {
      const { q, scope, repository, limit = 100 } = query;
      const key = repository === undefined ? undefined : repositoryKey(repository);
      const user = env.USER.getByName(userId);
      return json(await user.memories({ q, scope, repository: key, limit }));
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/memories',
      summary:
        'Remember something for all agents, or for those of a repository, session or agent. The same again is renewed.',
      access: 'user',
      body: MemoryCreate,
      responses: {
        201: { description: 'Stored, and how many others went for it.', schema: MemoryStored },
      },
    },
    async ({ env, userId, body }) => {
      const place = await placeFor(env, userId, body);
      const { content, tags = [] } = body;
      const memory = { ...place, content, tags, source: { by: 'person' as const } };
      return json(unwrap(await env.USER.getByName(userId).remember(memory)), 201);
    },
  ),
  defineRoute(
    {
      method: 'PATCH',
      path: '/api/memories/:memoryId',
      summary: 'Change the words or the tags. The words are the caller’s from then on.',
      access: 'user',
      params: MemoryParams,
      body: MemoryPatch,
      responses: { 200: { description: 'Changed.', schema: z.object({ memory: Memory }) } },
    },
    async ({ env, userId, params, body }) => {
      const user = env.USER.getByName(userId);
      return json({ memory: unwrap(await user.changeMemory(params.memoryId, body)) });
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/memories/:memoryId',
      summary: 'Forget something, for all agents.',
      access: 'user',
      params: MemoryParams,
      responses: { 204: { description: 'Forgotten.' } },
    },
    async ({ env, userId, params }) => {
      unwrap(await env.USER.getByName(userId).removeMemory(params.memoryId));
      return noContent();
    },
  ),
];
