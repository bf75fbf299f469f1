import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commit, pushed } from './jobs.ts';
import { commitFiles, ended, git, repositoryOf } from './repositories.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

function bareRemote(): string {
  const remote = join(tempDir(), 'remote.git');
  git('/', 'clone', '-q', '--bare', repositoryOf({ a: 'a\n' }), remote);
  return remote;
}

const mirrorIn = (home: string): string => {
  const dir = join(home, 'mirrors');
  return join(dir, readdirSync(dir).find((name) => name.endsWith('.git')) ?? '');
};

const refs = (repository: string): string =>
  git(repository, 'for-each-ref', '--format=%(refname)').replaceAll('\n', ' ');

describe('what an agent committed', () => {
  it('[GIT20] is in its mirror soon after its process ended, whole and checked', async () => {
    const bench = await Bench.open();
    const start = shellOrder(commit('mine'), { gitRepoUrl: bareRemote() });
    const thread = await ended(bench, start);
    await bench.logged(start, 'job');
    const mirror = mirrorIn(bench.home);
    expect(git(mirror, 'rev-parse', `refs/filepath/${start.slug}`)).toBe(thread.texts[0]);
    expect(git(mirror, 'fsck', '--strict', '--full')).toBe('');
    expect(readdirSync(join(bench.agentDir(start), 'jobs'))).toEqual([]);
    // A second process that commits nothing brings nothing.
    const again = { ...start, epoch: 2, config: { command: ['true'] } };
    bench.worker.thread(start.thread).epoch = 2;
    bench.worker.thread(start.thread).observed = [];
    await ended(bench, again);
    expect(bench.logs.filter(({ event }) => event === 'job')).toHaveLength(1);
  });

  it('[GIT21] is pushed to its own branch, then to one that was named', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = bareRemote();
    const start = shellOrder(commit('mine'), { gitRepoUrl });
    const { texts } = await ended(bench, start);
    const own = await pushed(bench, start);
    const branch = `filepath/${start.slug}`;
    expect(own).toMatchObject({ type: 'pushed', remote: gitRepoUrl, branch, commit: texts[0] });
    expect(git(gitRepoUrl, 'rev-parse', branch)).toBe(texts[0]);
    expect(await pushed(bench, start, { branch: 'feature/x' })).toMatchObject({ type: 'pushed' });
    expect(refs(gitRepoUrl)).toBe(`refs/heads/feature/x refs/heads/${branch} refs/heads/main`);
  });

  it('[GIT21] is not pushed where the remote has all of it, unless a branch is named', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = bareRemote();
    const start = shellOrder('true', { gitRepoUrl });
    await ended(bench, start);
    expect(await pushed(bench, start)).toMatchObject({
      type: 'job_failed',
      reason: expect.stringContaining('nothing to push: main'),
    });
    expect(git(gitRepoUrl, 'branch', '--format=%(refname:short)')).toBe('main');
    expect(await pushed(bench, start, { branch: 'new' })).toMatchObject({ type: 'pushed' });
    rmSync(gitRepoUrl, { recursive: true });
    const { reason } = (await pushed(bench, start, { branch: 'new' })) as { reason?: string };
    expect(reason).toContain('cannot push to');
    expect(reason).not.toContain('clone');
  });

  it('[GIT22] takes the place of other commits only with force', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = bareRemote();
    const start = shellOrder(commit('mine'), { gitRepoUrl });
    const { texts } = await ended(bench, start);
    const other = join(tempDir(), 'other');
    git('/', 'clone', '-q', gitRepoUrl, other);
    commitFiles(other, { b: 'b\n' }, 'other');
    git(other, 'push', '-q', 'origin', 'HEAD:refs/heads/taken');
    const refused = await pushed(bench, start, { branch: 'taken' });
    expect(refused).toMatchObject({ type: 'job_failed', work: 'push' });
    expect(JSON.stringify(refused)).toContain('push to another branch, or with force');
    expect(git(gitRepoUrl, 'rev-parse', 'taken')).toBe(git(other, 'rev-parse', 'HEAD'));
    const forced = await pushed(bench, start, { branch: 'taken', force: true });
    expect(forced).toMatchObject({ type: 'pushed' });
    expect(git(gitRepoUrl, 'rev-parse', 'taken')).toBe(texts[0]);
  });

  it('[GIT23] is refused by a repository that has the branch checked out, with what to do', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    // Would check out what was pushed, with the filters of this repository.
    git(gitRepoUrl, 'config', 'receive.denyCurrentBranch', 'updateInstead');
    const start = shellOrder(commit('mine'), { gitRepoUrl });
    await ended(bench, start);
    const before = git(gitRepoUrl, 'rev-parse', 'main');
    const refused = await pushed(bench, start, { branch: 'main' });
    expect(refused).toMatchObject({ type: 'job_failed' });
    expect(JSON.stringify(refused)).toContain('The branch main is checked out there');
    expect(git(gitRepoUrl, 'rev-parse', 'main')).toBe(before);
    expect(await pushed(bench, start)).toMatchObject({ type: 'pushed' });
  });

  it('[GIT24] of a branch that is gone is what HEAD names; without a commit there is a reason', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = bareRemote();
    const script = `${commit('mine')} git checkout -q --detach
      git for-each-ref --format='delete %(refname)' refs/heads | git update-ref --stdin`;
    const start = shellOrder(script, { gitRepoUrl });
    const { texts } = await ended(bench, start);
    expect(await pushed(bench, start)).toMatchObject({ type: 'pushed', commit: texts[0] });
    const none = shellOrder('rm -rf .git', { gitRepoUrl });
    await ended(bench, none);
    const refused = await pushed(bench, none);
    expect(JSON.stringify(refused)).toContain('is it a git repository');
  });
});
