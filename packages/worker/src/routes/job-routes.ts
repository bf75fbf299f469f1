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
    async ({ env, userId, params, body }) => {
      const thread = env.THREAD.getByName(params.id);
      if (body.of !== 'session') return json(unwrap(await thread.push(userId, body, null)), 202);
      const session = env.SESSION.getByName(unwrap(await thread.sessionFor(userId)));
      const branch = unwrap(await session.branch(userId));
      return json(unwrap(await thread.push(userId, body, branch)), 202);
    },
  ),
];
