import { JobResult, PushCreate } from '@filepath/protocol';
import { z } from 'zod';
import { defineRoute, json, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { JobAccepted, JobQuery, ThreadParams } from './parameters.ts';

/** Work of the runner on a workspace. Its result comes into the thread. */
export const jobRoutes: Route[] = [
  defineRoute(
    {
      method: 'POST',
      path: '/api/thread/:id/push',
      summary:
        "Push the agent's commits to the session's repository. The thread says `pushed` or `job_failed`. With `wait` it is answered too, where it comes within so many seconds.",
      access: 'user',
      params: ThreadParams,
      query: JobQuery,
      body: PushCreate,
      responses: {
        200: { description: 'How it ended.', schema: z.object({ result: JobResult }) },
        202: { description: 'Ordered.', schema: JobAccepted },
      },
    },
    async ({ env, userId, params, query, body }) => {
      const thread = env.THREAD.getByName(params.id);
      const branch = async (): Promise<string> => {
        const session = env.SESSION.getByName(unwrap(await thread.sessionFor(userId)));
        return unwrap(await session.branch(userId));
      };
      const of = body.of === 'session' ? await branch() : null;
      const waitMs = (query.wait ?? 0) * 1000;
      const { job, result } = unwrap(await thread.push(userId, body, of, waitMs));
      return result === null ? json({ job }, 202) : json({ result });
    },
  ),
];
