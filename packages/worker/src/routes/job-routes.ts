import { PushCreate } from '@filepath/protocol';
import { defineRoute, json, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { JobAccepted, ThreadParams } from './parameters.ts';

/** Work of the runner on a workspace. Its result comes into the thread. */
export const jobRoutes: Route[] = [
  defineRoute(
    {
      method: 'POST',
      path: '/api/thread/:id/push',
      summary:
        "Push the agent's commits to the session's repository. The thread says `pushed` or `job_failed`.",
      access: 'user',
      params: ThreadParams,
      body: PushCreate,
      responses: { 202: { description: 'Ordered.', schema: JobAccepted } },
    },
    async ({ env, userId, params, body }) =>
      json(unwrap(await env.THREAD.getByName(params.id).push(userId, body)), 202),
  ),
];
