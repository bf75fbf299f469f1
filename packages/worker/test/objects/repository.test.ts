import { expect, it } from 'vitest';
import { z } from 'zod';
import { ask } from './support/api.ts';
import { TestRunner } from './support/runner.ts';

const Asked = z.object({ ask: z.int(), question: z.looseObject({}) });
const PATH = '/api/repository/check';

it('[UIS4] the runner is asked whether a repository can be cloned; a URL of no kind is refused before', async () => {
  await ask(503, 'POST', PATH, { gitRepoUrl: '/srv/app' });
  const runner = await TestRunner.connect();
  const refused = await ask(400, 'POST', PATH, { gitRepoUrl: 'not a url' });
  expect(JSON.stringify(refused)).toContain('gitRepoUrl');

  const found = ask(200, 'POST', PATH, { gitRepoUrl: '/srv/app' });
  const first = Asked.parse(await runner.socket.until('ask'));
  expect(first.question).toEqual({ kind: 'repository', repository: '/srv/app' });
  const answer = { kind: 'repository', found: { branch: 'main', empty: false } };
  runner.socket.send({ t: 'answer', ask: first.ask, answer });
  expect(await found).toEqual({ reachable: true, branch: 'main', empty: false });

  const failed = ask(200, 'POST', PATH, { gitRepoUrl: '/srv/none' });
  const second = Asked.parse(await runner.socket.until('ask'));
  runner.socket.send({
    t: 'answer',
    ask: second.ask,
    answer: { kind: 'failed', reason: 'there is nothing at this path' },
  });
  expect(await failed).toEqual({ reachable: false, reason: 'there is nothing at this path' });
});
