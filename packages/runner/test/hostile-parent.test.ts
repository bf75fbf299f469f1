import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { AGENT_FILES, ended, repositoryOf, told } from './repositories.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

const COMMIT = 'git -c user.name=a -c user.email=a@a commit -q';

/** Runs a parent to its end, then a child of it. */
async function childAfter(bench: Bench, work: string, script: string, files = { file: 'one\n' }) {
  const parent = shellOrder(work, { gitRepoUrl: repositoryOf(files) });
  await ended(bench, parent);
  const { thread, slug, gitRepoUrl } = parent;
  const order: StartOrder = shellOrder(script, { gitRepoUrl, parent: { thread, slug } });
  const child = await ended(bench, order);
  return { parent, order, child };
}

/** A canary path of the host, and the shell that a poisoned setting would run. */
function canary(): { path: string; evil: string } {
  const path = join(tempDir(), 'canary');
  return { path, evil: `touch ${path} /workspace/ran 2> /dev/null; cat` };
}

describe('a hostile parent', () => {
  it('[GIT12] whose repository names programs runs none on the host nor in the child', async () => {
    const bench = await Bench.open();
    const { path, evil } = canary();
    const work = `
      for name in core.fsmonitor core.sshCommand diff.external core.pager core.editor gpg.program \\
        core.alternateRefsCommand uploadpack.packObjectsHook filter.evil.smudge filter.evil.clean
      do git config $name "${evil}"; done
      git config diff.evil.textconv "${evil}"; git config commit.gpgSign true
      printf '* filter=evil diff=evil\\n' > .gitattributes
      mkdir -p .git/hooks
      for hook in post-checkout post-index-change reference-transaction pre-commit; do
        printf '#!/bin/sh\\n${evil}\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook
      done
      printf '[submodule "x"]\\npath = x\\nurl = ext::sh -c "touch ${path}"\\n' > .gitmodules
      mkdir -p ~/.local/bin; printf '#!/bin/sh\\n${evil}\\n' > ~/.local/bin/git; chmod +x ~/.local/bin/git
      echo work > work`;
    const look =
      'cat work; ls .git/hooks 2> /dev/null; git config --get-regexp filter; ls; git status --short';
    const { child, parent } = await childAfter(bench, work, look);
    expect(child.texts).toEqual(['work', 'file', 'work']);
    expect(told(child).at(-1)).toContain(`from its parent ${parent.slug} at`);
    expect(existsSync(path)).toBe(false);
    const workspace = join(bench.agentDir(parent), 'workspace');
    expect(readdirSync(workspace), 'nothing that ran could write').not.toContain('ran');
  });

  it('[GIT12] with links gives them as links, and no content of the host', async () => {
    const bench = await Bench.open();
    const work = `ln -s /etc/shadow shadow; ln -s /root/.ssh home; ln -s .git/config inner; mkfifo pipe`;
    const { child } = await childAfter(
      bench,
      work,
      'readlink shadow home inner; cat shadow home/* 2> /dev/null; ls -A',
    );
    expect(child.texts).toEqual([
      '/etc/shadow',
      '/root/.ssh',
      '.git/config',
      '.git',
      'file',
      'home',
      'inner',
      'shadow',
    ]);
  });

  it('[GIT12] that replaces commits and borrows elsewhere changes nothing for the child', async () => {
    const bench = await Bench.open();
    const work = `
      echo fake > file; git add file; ${COMMIT} -m real; fake=$(git rev-parse HEAD)
      git reset -q --hard HEAD~1; echo true > file; git add file; ${COMMIT} -m true
      git replace HEAD $fake
      printf '/proc/1/root/objects\\n/home/agent/x\\n' >> .git/objects/info/alternates
      echo grafted > .git/info/grafts`;
    const { child } = await childAfter(bench, work, 'cat file; git log --format=%s');
    expect(child.texts).toEqual(['true', 'true', 'first']);
  });

  it.each([
    ['its index is broken', 'echo x > .git/index'],
    [
      'its .git is a link',
      'mv .git ../home/agent/g 2> /dev/null || cp -r .git /home/agent/g; rm -rf .git; ln -s /home/agent/g .git',
    ],
    ['its .git is a file that leads nowhere', 'rm -rf .git; echo "gitdir: /proc/1/root" > .git'],
    ['its objects are gone', `echo x > file; git add file; ${COMMIT} -m x; rm -rf .git/objects/??`],
    [
      'its commit holds a tree that no checkout takes',
      `
      blob=$(echo evil | git hash-object -w --stdin)
      inner=$(printf "100644 blob $blob\\tconfig\\n" | git mktree)
      tree=$(printf "040000 tree $inner\\t.GIT\\n" | git mktree)
      git update-ref HEAD $(git -c user.name=a -c user.email=a@a commit-tree $tree -m evil < /dev/null)`,
    ],
  ])('[GIT11] [GIT12] whose repository cannot be used is passed over: %s', async (_, work) => {
    const bench = await Bench.open();
    const { child, parent, order } = await childAfter(bench, work, 'cat file; git log --format=%s');
    expect(child.texts).toEqual(['one', 'first']);
    expect(told(child).at(-1)).toContain(`from the repository, not from its parent ${parent.slug}`);
    expect(readdirSync(bench.agentDir(order)).sort()).toEqual(AGENT_FILES);
  });

  it('[GIT12] gives what fits where files are too large or cannot be read', async () => {
    const bench = await Bench.open();
    const work = `truncate -s 300M big; echo shut > shut; chmod 0 shut; echo fits > small`;
    const { child } = await childAfter(bench, work, 'ls; cat small');
    expect(child.texts).toEqual(['file', 'small', 'fits']);
    expect(told(child).at(-1)).toContain(
      'some files were left out: unreadable, too large or too many',
    );
  });

  it('[GIT12] that keeps git waiting is not waited for when the child is stopped', async () => {
    const bench = await Bench.open();
    const work = `git config filter.slow.clean 'sleep 1000'; echo '* filter=slow' > .gitattributes; echo x > x`;
    const parent = shellOrder(work, { gitRepoUrl: repositoryOf({ file: 'one\n' }) });
    await ended(bench, parent);
    const { thread, slug, gitRepoUrl } = parent;
    const order = shellOrder('ls', { gitRepoUrl, parent: { thread, slug } });
    bench.worker.order(order);
    const child = bench.worker.thread(order.thread);
    await bench.worker.until('cloning', () => told(child).length > 0);
    const stop = { thread: order.thread, epoch: 1, graceMs: 0, inputs: [] };
    bench.worker.order({ kind: 'stop', ...stop });
    await bench.worker.until('refused', () => child.refused !== undefined);
    expect(child.refused).toBe('stopped before it started');
  });
});
