import { Answer, FilepathError, MachineCheck, RunnerId, RunnerInfo } from '@filepath/protocol';
import { z } from 'zod';
import { OWNER_ID } from '../auth/sign-in-link.ts';
import { openDb } from '../db/client.ts';
import { countWorking } from '../db/queries.ts';
import { defineRoute, json, type Route } from '../http/route.ts';
import { notFound, type Result, unwrap } from '../result.ts';
import { LOCAL_RUNNER } from '../runner/local-runner.ts';

/** The runner beside the engine is the owner's; there is no other. */
const runnersOf = (userId: string): RunnerId[] => (userId === OWNER_ID ? [LOCAL_RUNNER] : []);

export const runnerRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/runners',
      summary: "The caller's runners: the machines that run agents.",
      access: 'user',
      responses: {
        200: { description: 'All.', schema: z.object({ runners: z.array(RunnerInfo) }) },
      },
    },
    async ({ env, userId }) => {
      const working = await countWorking(openDb(env), userId);
      const runners = runnersOf(userId).map(async (id) => {
        const status = await env.RUNNER.getByName(id).status();
        return { id, ...status, working };
      });
      return json({ runners: await Promise.all(runners) });
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/runners/:runnerId/checks',
      summary:
        'What filepath needs on the machine of a runner, as `filepath doctor` finds it now: what is met, what works without, what to do.',
      access: 'user',
      params: z.object({ runnerId: RunnerId }),
      responses: {
        200: { description: 'All needs.', schema: z.object({ checks: z.array(MachineCheck) }) },
        503: { description: 'The runner is not connected.' },
      },
    },
    async ({ env, userId, params }) => {
      const { runnerId } = params;
      if (!runnersOf(userId).includes(runnerId)) throw notFound('this runner');
      const asked: Result<string> = await env.RUNNER.getByName(runnerId).ask({ kind: 'checks' });
      const answer = Answer.parse(JSON.parse(unwrap(asked)));
      if (answer.kind === 'checks') return json({ checks: answer.checks });
      const reason = answer.kind === 'failed' ? answer.reason : 'it spoke of something else';
      throw new FilepathError('unavailable', `The runner could not look: ${reason}. Ask again.`);
    },
  ),
];
