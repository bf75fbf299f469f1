import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFiles, ended, git, repositoryOf } from '../repositories.ts';
import { tempDir } from '../setup.ts';
import { executors, hostileOrder } from './executors.ts';
import { isOver, nextEpoch, open } from './host.ts';

/** A file of the host that no repository may make. */
const canaryFile = (): string => join(tempDir(), 'canary');

function failing(dir: string, ...args: string[]): void {
  try {
    git(dir, ...args);
  } catch {
    // What it leaves behind is what counts.
  }
}

/** Every setting of a repository that names a program. */
function poison(dir: string, canary: string): void {
  const script = join(tempDir(), 'evil');
  writeFileSync(script, `#!/bin/sh\ntouch ${canary}\n`);
  chmodSync(script, 0o755);
  chmodSync(join(script, '..'), 0o755);
  const settings = {
    'core.fsmonitor': script,
    'core.sshCommand': script,
    'core.gitProxy': script,
    'core.alternateRefsCommand': script,
    'uploadpack.packObjectsHook': script,
    'filter.evil.clean': script,
    'filter.evil.smudge': script,
    'filter.evil.process': script,
    'diff.external': script,
    'credential.helper': `!${script}`,
  };
  for (const [name, value] of Object.entries(settings)) git(dir, 'config', name, value);
  mkdirSync(join(dir, '.git/hooks'), { recursive: true });
  for (const hook of ['post-checkout', 'reference-transaction', 'post-merge', 'pre-auto-gc']) {
    writeFileSync(join(dir, '.git/hooks', hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  }
}

describe.each(executors)('T11, T12: a hostile repository, with $name', (executor) => {
  it('[GIT5] runs nothing on the host when it is mirrored and cloned', async () => {
    const bench = await open(executor);
    const canary = canaryFile();
    const gitRepoUrl = repositoryOf({ file: 'content\n' });
    symlinkSync('/etc/passwd', join(gitRepoUrl, 'link'));
    commitFiles(
      gitRepoUrl,
      {
        '.gitattributes': '* filter=evil\n',
        '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c 'touch% ${canary}'\n\tupdate = !touch ${canary}\n`,
      },
      'hostile',
    );
    poison(gitRepoUrl, canary);
    failing(gitRepoUrl, 'status');
    expect(existsSync(canary), 'the fixture is live').toBe(true);
    rmSync(canary);
    executor.share(gitRepoUrl);
    const script =
      'cat file; git submodule update --init 2> /dev/null; readlink link; ls .git/hooks';
    for (const _ of ['first', 'with a mirror']) {
      const thread = await ended(bench, hostileOrder(executor, script, { gitRepoUrl }));
      expect(thread.texts).toEqual(['content', '/etc/passwd']);
    }
    expect(existsSync(canary)).toBe(false);
  });

  it('[GIT5] that lacks objects and names a program to fetch them is refused', async () => {
    const bench = await open(executor);
    const canary = canaryFile();
    const gitRepoUrl = repositoryOf({ file: 'content\n' });
    const blob = git(gitRepoUrl, 'rev-parse', 'HEAD:file');
    rmSync(join(gitRepoUrl, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    git(gitRepoUrl, 'config', 'core.repositoryFormatVersion', '1');
    git(gitRepoUrl, 'config', 'extensions.partialClone', 'evil');
    git(gitRepoUrl, 'config', 'remote.evil.url', gitRepoUrl);
    git(gitRepoUrl, 'config', 'remote.evil.promisor', 'true');
    git(gitRepoUrl, 'config', 'remote.evil.uploadpack', `touch ${canary};`);
    failing(gitRepoUrl, 'cat-file', 'blob', blob);
    expect(existsSync(canary), 'the fixture is live').toBe(true);
    rmSync(canary);
    executor.share(gitRepoUrl);
    const thread = await ended(bench, hostileOrder(executor, 'cat file', { gitRepoUrl }));
    expect(thread.refused).toMatch(/^cannot clone /);
    expect(existsSync(canary)).toBe(false);
  });

  it('[GIT5] a workspace that its agent poisoned runs nothing on the host', async () => {
    const bench = await open(executor);
    const canary = canaryFile();
    const gitRepoUrl = repositoryOf({ file: 'content\n' });
    executor.share(gitRepoUrl);
    const order = hostileOrder(executor, 'true', { gitRepoUrl });
    await ended(bench, order);
    await isOver(bench, order);
    const workspace = join(bench.agentDir(order), 'workspace');
    poison(workspace, canary);
    failing(workspace, 'status');
    expect(existsSync(canary), 'the fixture is live').toBe(true);
    rmSync(canary);
    executor.share(gitRepoUrl);
    const commit = 'echo x >> file; git -c user.name=a -c user.email=a@a commit -qam x';
    await nextEpoch(bench, hostileOrder(executor, commit, { ...order, epoch: 2 }));
    await ended(bench, hostileOrder(executor, 'true', { gitRepoUrl }));
    expect(existsSync(canary)).toBe(false);
  });
});
