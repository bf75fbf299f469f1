import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFiles, ended, git, longRepository, repositoryOf, told } from './repositories.ts';
import { Bench, shellOrder } from './setup.ts';

const COMMIT = `git config user.name a; git config user.email a@a
  echo mine > mine; git add mine; git commit -q -m mine`;

function mirrorOf(bench: Bench): string {
  const dir = join(bench.home, 'mirrors');
  const names = readdirSync(dir).filter((name) => name.endsWith('.git'));
  expect(names).toHaveLength(1);
  return join(dir, names[0] ?? '');
}

describe('a mirror', () => {
  it('[GIT1] lends its objects to every workspace of its remote, and each can commit', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = longRepository(2000);
    const script = `git rev-list --count HEAD; cat .git/objects/info/alternates
      find .git/objects -type f | grep -v info/alternates | wc -l
      ${COMMIT}; git rev-list --count HEAD; git fsck --connectivity-only 2>&1 | grep -c error`;
    const orders = [shellOrder(script, { gitRepoUrl }), shellOrder(script, { gitRepoUrl })];
    const threads = await Promise.all(orders.map((order) => ended(bench, order)));
    for (const thread of threads) {
      expect(thread.texts).toEqual(['2000', '/run/mirror.git/objects', '0', '2001', '0']);
    }
    const mirror = mirrorOf(bench);
    const meta = JSON.parse(readFileSync(mirror.replace(/git$/, 'json'), 'utf8'));
    expect(meta).toEqual({ remote: gitRepoUrl });
  });

  it('[GIT2] tells how far the first fetch is, in at most ten steps', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = longRepository(500);
    const said = told(await ended(bench, shellOrder('true', { gitRepoUrl })));
    expect(said[0]).toBe(`cloning ${gitRepoUrl}`);
    expect(said).toContain(`cloning ${gitRepoUrl}: receiving objects 100%`);
    expect(said.at(-1)).toBe(`ready ${gitRepoUrl}`);
    expect(said.length).toBeLessThanOrEqual(12);
    expect(new Set(said).size).toBe(said.length);
  });

  it('[GIT1] brings later commits, renamed branches and another default branch to later workspaces', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ file: 'one\n' });
    await ended(bench, shellOrder('true', { gitRepoUrl }));
    commitFiles(gitRepoUrl, { file: 'two\n' }, 'second');
    git(gitRepoUrl, 'branch', '-m', 'trunk');
    const script = 'cat file; git for-each-ref --format="%(refname)" refs/remotes';
    const thread = await ended(bench, shellOrder(script, { gitRepoUrl }));
    expect(thread.texts).toEqual(['two', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk']);
    const detached = git(gitRepoUrl, 'rev-parse', 'HEAD~1');
    git(gitRepoUrl, 'checkout', '-q', '--detach', detached);
    const again = await ended(bench, shellOrder('cat file; git rev-parse HEAD', { gitRepoUrl }));
    expect(again.texts).toEqual(['one', detached]);
  });

  it('[GIT1] keeps what a workspace borrows when the remote drops it', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ file: 'one\n' });
    commitFiles(gitRepoUrl, { file: 'two\n' }, 'second');
    const order = shellOrder('true', { gitRepoUrl });
    await ended(bench, order);
    await bench.logged(order, 'over');
    git(gitRepoUrl, 'reset', '-q', '--hard', 'HEAD~1');
    git(gitRepoUrl, 'reflog', 'expire', '--expire=now', '--all');
    git(gitRepoUrl, 'gc', '-q', '--prune=now');
    const other = await ended(bench, shellOrder('git log --format=%s', { gitRepoUrl }));
    expect(other.texts).toEqual(['first']);
    const thread = bench.worker.thread(order.thread);
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    const command = ['git', 'log', '-p', '--format=%s', '-1'];
    await ended(bench, { ...order, epoch: 2, config: { command } });
    expect(thread.texts).toContain('+two');
  });

  it('[GIT3] is used as it is where its remote cannot be reached, and the workspace says so', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ file: 'one\n' });
    await ended(bench, shellOrder('true', { gitRepoUrl }));
    renameSync(join(gitRepoUrl, '.git'), join(gitRepoUrl, 'hidden'));
    const thread = await ended(bench, shellOrder('cat file', { gitRepoUrl }));
    expect(thread.texts).toEqual(['one']);
    expect(told(thread).at(-1)).toMatch(
      /^ready .*\nas of its last fetch: cannot clone .*not appear to be a git repository/,
    );
  });

  it('[GIT1] is read-only in the sandbox, and the only one there', async () => {
    const bench = await Bench.open();
    const other = repositoryOf({ secret: 'other\n' });
    await ended(bench, shellOrder('true', { gitRepoUrl: other }));
    const gitRepoUrl = repositoryOf({ file: 'one\n' });
    const order = shellOrder(
      `for at in HEAD config objects/x refs/heads/main; do
        ( echo broken > /run/mirror.git/$at ) 2> /dev/null && echo "wrote $at"; done
      rm -rf /run/mirror.git/* 2> /dev/null; chmod 777 /run/mirror.git 2> /dev/null
      ls /run; cat /run/mirror.git/HEAD; ls ${bench.home} /mnt /media /srv 2> /dev/null | grep -c .`,
      { gitRepoUrl },
    );
    const thread = await ended(bench, order);
    expect(thread.texts).toEqual(['filepath', 'mirror.git', 'ref: refs/heads/main', '0']);
  });

  it('[GIT1] is refused for the workspace of an agent', async () => {
    const bench = await Bench.open();
    const order = shellOrder('git init -q .', {});
    await ended(bench, order);
    const gitRepoUrl = join(bench.agentDir(order), 'workspace');
    const thread = await ended(bench, shellOrder('true', { gitRepoUrl }));
    expect(thread.refused).toMatch(/it belongs to an agent/);
  });

  it('[GIT1] whose files are gone refuses the start by its name', async () => {
    const bench = await Bench.open();
    const order = shellOrder('true', { gitRepoUrl: repositoryOf({ file: 'one\n' }) });
    await ended(bench, order);
    await bench.logged(order, 'over');
    const mirror = mirrorOf(bench);
    renameSync(mirror, `${mirror}.away`);
    const thread = bench.worker.thread(order.thread);
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    await ended(bench, { ...order, epoch: 2 });
    expect(thread.refused).toContain(mirror);
  });

  it('[GIT1] is only the runner’s to enter on the host', async () => {
    const bench = await Bench.open();
    await ended(bench, shellOrder('true', { gitRepoUrl: repositoryOf({ file: 'one\n' }) }));
    expect(statSync(join(bench.home, 'mirrors')).mode & 0o077).toBe(0);
    expect(existsSync(join(mirrorOf(bench), 'hooks'))).toBe(false);
  });
});
