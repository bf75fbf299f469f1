import { Api, follow, git, isType, makeRepo, startInstance, tempDir } from '@filepath/testkit';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('[GIT21] what an agent committed is pushed to its repository, and the thread says so', async () => {
  using dir = tempDir('filepath-repo');
  makeRepo(join(dir.path, 'repo'));
  git(dir.path, 'clone', '--quiet', '--bare', 'repo', 'remote.git');
  const gitRepoUrl = join(dir.path, 'remote.git');
  await using instance = await startInstance();
  const api = new Api(instance);
  const script = `git config user.name a; git config user.email a@a; echo mine > mine
    git add mine; git commit -qm mine`;
  const { node } = await api.agent(['sh', '-c', script], { gitRepoUrl });
  const feed = follow(instance, node.id);
  await api.message(node.id, 'go');
  await feed.until(isType('exit'));
  const { job } = await api.json(
    z.object({ job: z.string() }),
    'POST',
    `/api/thread/${node.id}/push`,
    { branch: 'from-an-agent' },
  );
  const { source, body } = await feed.until(isType('pushed'));
  feed.close();
  const commit = git(gitRepoUrl, 'rev-parse', 'from-an-agent');
  expect(source).toBe('system');
  expect(body).toEqual({
    type: 'pushed',
    job,
    remote: gitRepoUrl,
    branch: 'from-an-agent',
    commit,
  });
  expect(git(gitRepoUrl, 'log', '-1', '--format=%s', 'from-an-agent')).toBe('mine');
});
