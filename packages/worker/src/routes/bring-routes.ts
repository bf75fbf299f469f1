import {
  Changes,
  FilepathError,
  FilesQuery,
  FoundFiles,
  JobId,
  JobResult,
  MergeCreate,
  MergeResolve,
  ThreadId,
} from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import { defineRoute, json, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { JobAccepted, JobQuery, ThreadParams } from './parameters.ts';

const ChangesQuery = z.object({ file: z.string().min(1).max(4096).optional() });
const FindQuery = z.object({ q: FilesQuery.optional() });
/** Longer than a merge of ordinary size takes. */
const AGENT_WAIT_MS = 60_000;

async function sessionOf(env: Env, user: string, id: ThreadId) {
  return env.SESSION.getByName(unwrap(await env.THREAD.getByName(id).sessionFor(user)));
}

/** What agents changed, and how their work comes together. */
export const bringRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/node/:id/changes',
      summary:
        'What the agent changed since its workspace was made, committed or not. With `file`: all hunks of that one.',
      access: 'user',
      params: ThreadParams,
      query: ChangesQuery,
      responses: {
        200: { description: 'The changes.', schema: z.object({ changes: Changes }) },
      },
    },
    async ({ env, userId, params, query }) => {
      const thread = env.THREAD.getByName(params.id);
      return json({ changes: unwrap(await thread.changes(userId, query.file ?? null)) });
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/node/:id/files',
      summary:
        "Files of the agent's workspace whose path holds `q`, those that git ignores left out. At most 50, the nearest first.",
      access: 'user',
      params: ThreadParams,
      query: FindQuery,
      responses: { 200: { description: 'Paths.', schema: FoundFiles } },
    },
    async ({ env, userId, params, query }) =>
      json(unwrap(await env.THREAD.getByName(params.id).files(userId, query.q ?? ''))),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/node/:id/merge',
      summary:
        "Merge the agent's branch into its parent's or the session's. The thread says `merged`, `conflict` or `job_failed`. With `wait` it is answered too, where it comes within so many seconds.",
      access: 'user',
      params: ThreadParams,
      query: JobQuery,
      body: MergeCreate,
      responses: {
        200: { description: 'How it ended.', schema: z.object({ result: JobResult }) },
        202: { description: 'Ordered.', schema: JobAccepted },
      },
    },
    async ({ env, userId, params, query, body }) => {
      const session = await sessionOf(env, userId, params.id);
      const plan = unwrap(await session.mergeTarget(userId, params.id, body.into));
      const thread = env.THREAD.getByName(params.id);
      const waitMs = (query.wait ?? 0) * 1000;
      const { job, result } = unwrap(await thread.merge(userId, plan, body, waitMs));
      return result === null ? json({ job }, 202) : json({ result });
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/node/:id/merge/resolve',
      summary:
        "Make the conflict of the agent's last merge a task: its own, its parent's, or of a new agent that is made for it.",
      access: 'user',
      params: ThreadParams,
      body: MergeResolve.optional(),
      responses: {
        202: { description: 'Who has it as a task.', schema: z.object({ node: ThreadId }) },
      },
    },
    async ({ env, userId, params, body }) => {
      const session = await sessionOf(env, userId, params.id);
      const by = body?.by ?? 'agent';
      return json({ node: unwrap(await session.resolveConflict(userId, params.id, by)) }, 202);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/gateway/agent/children/:threadId/merge',
      summary:
        "Merge a direct child's branch into that of the agent that asks, or the session's. Answers with the result, where it comes within a minute.",
      access: 'agent',
      params: z.object({ threadId: ThreadId }),
      body: MergeCreate,
      responses: {
        200: { description: 'How it ended.', schema: z.object({ result: JobResult }) },
        202: { description: 'Ordered.', schema: z.object({ job: JobId }) },
      },
    },
    async ({ env, agent, params, body }) => {
      const session = env.SESSION.getByName(agent.session);
      const plan = unwrap(await session.mergeTargetFor(agent, params.threadId, body.into));
      const thread = env.THREAD.getByName(params.threadId);
      const { job, result } = unwrap(await thread.merge(null, plan, body, AGENT_WAIT_MS));
      if (result === null) return json({ job }, 202);
      if (result.type !== 'job_failed') return json({ result });
      throw new FilepathError('conflict', result.reason);
    },
  ),
];
