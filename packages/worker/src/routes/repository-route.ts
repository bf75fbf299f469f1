import { Answer, RepositoryCheck, RepositoryCheckCreate } from '@filepath/protocol';
import { defineRoute, json } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { LOCAL_RUNNER } from '../runner/local-runner.ts';

export const repositoryRoute = defineRoute(
  {
    method: 'POST',
    path: '/api/repository/check',
    summary: 'Whether the runner can clone a repository. Nothing is cloned or kept.',
    access: 'user',
    body: RepositoryCheckCreate,
    responses: {
      200: { description: 'What was found, or why it cannot be cloned.', schema: RepositoryCheck },
    },
  },
  async ({ env, body }) => {
    const question = { kind: 'repository' as const, repository: body.gitRepoUrl };
    const answered = unwrap(await env.RUNNER.getByName(LOCAL_RUNNER).ask(question));
    const answer = Answer.parse(JSON.parse(answered));
    if (answer.kind === 'repository') return json({ reachable: true, ...answer.found });
    const reason = answer.kind === 'failed' ? answer.reason : 'the runner answered something else';
    return json({ reachable: false, reason });
  },
);
