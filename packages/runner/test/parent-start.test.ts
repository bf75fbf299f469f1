import { lstatSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { ended, git, repositoryOf, told } from './repositories.ts';
import { Bench, shellOrder } from './setup.ts';

const COMMIT = 'git -c user.name=a -c user.email=a@a commit -q';
const SHOW = 'git log --format="%an %s"; git branch --show-current; git status --short; ls';

/** An order for a child of this agent. */
function childOf(parent: StartOrder, script: string, more: Partial<StartOrder> = {}): StartOrder {
  const { thread, slug, gitRepoUrl } = parent;
  return shellOrder(script, { gitRepoUrl, parent: { thread, slug }, ...more });
}

const workspaceOf = (bench: Bench, order: StartOrder): string =>
  join(bench.agentDir(order), 'workspace');

/** A parent that has done its work and waits for a line on stdin. */
async function parentAfter(bench: Bench, script: string, gitRepoUrl: string | null) {
  const order = shellOrder(`${script}\necho ready; read -r line`, { gitRepoUrl });
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('parent ready', () => thread.texts.includes('ready'));
  return order;
}

/** Every file below a directory, by content and time. */
function stateOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path} ${lstatSync(path).mtimeMs} ${readFileSync(path).toString('base64')}`);
}

describe('a child', () => {
  it('[GIT10] starts at its parent’s commit with what is not committed as a commit of filepath', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ file: 'one\n', '.gitignore': 'ignored\n', gone: 'x\n' });
    const work = `echo two > made; git add made; ${COMMIT} -m made
      echo changed > file; echo new > untracked; echo secret > ignored; echo KEY=1 > .env
      rm gone; echo staged > staged; git add staged`;
    const parent = await parentAfter(bench, work, gitRepoUrl);
    const before = stateOf(workspaceOf(bench, parent));
    const child = childOf(parent, `cat file made untracked staged; ${SHOW}`);
    const thread = await ended(bench, child);
    expect(thread.texts).toEqual([
      'changed',
      'two',
      'new',
      'staged',
      `filepath Uncommitted work of ${parent.slug}`,
      'a made',
      't first',
      `filepath/${child.slug}`,
      'file',
      'made',
      'staged',
      'untracked',
    ]);
    expect(told(thread).at(-1)).toMatch(
      new RegExp(
        `from its parent ${parent.slug} at [0-9a-f]{12}, with its uncommitted work \\(4 files\\)$`,
      ),
    );
    expect(stateOf(workspaceOf(bench, parent)), 'the parent is as it was').toEqual(before);
    expect(thread.observed.some((body) => body.type === 'head')).toBe(false);
  });

  it('[GIT10] of a parent with nothing new starts where the parent is, without a commit', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ file: 'one\n' });
    const parent = await parentAfter(bench, 'true', gitRepoUrl);
    const thread = await ended(bench, childOf(parent, 'git log --format=%s; cat file'));
    expect(thread.texts).toEqual(['first', 'one']);
    const hash = git(gitRepoUrl, 'rev-parse', 'HEAD').slice(0, 12);
    expect(told(thread).at(-1)).toBe(
      `ready ${gitRepoUrl}\nfrom its parent ${parent.slug} at ${hash}`,
    );
  });

  it('[GIT10] has a child of its own, which has the work of all', async () => {
    const bench = await Bench.open();
    const root = await parentAfter(bench, 'echo r > r', repositoryOf({ file: 'one\n' }));
    const child = childOf(root, `echo c > c; git add c; ${COMMIT} -m c; echo d > d`);
    await ended(bench, child);
    const thread = await ended(bench, childOf(child, 'cat r c d; git log --format=%s'));
    expect(thread.texts).toEqual([
      'r',
      'c',
      'd',
      `Uncommitted work of ${child.slug}`,
      'c',
      `Uncommitted work of ${root.slug}`,
      'first',
    ]);
  });

  it('[GIT10] starts from a parent that is held still, and from one that has ended', async () => {
    const bench = await Bench.open();
    const parent = await parentAfter(bench, 'echo r > r', repositoryOf({ file: 'one\n' }));
    const { thread, epoch } = parent;
    bench.worker.order({ kind: 'freeze', thread, epoch, seq: 2, frozen: true });
    await bench.worker.until('frozen', () => bench.worker.orders.at(-1)?.taken === 1);
    expect((await ended(bench, childOf(parent, 'cat r'))).texts).toEqual(['r']);
    bench.worker.order({ kind: 'stop', thread, epoch, graceMs: 0, inputs: [] });
    await bench.logged(parent, 'over');
    expect((await ended(bench, childOf(parent, 'cat r'))).texts).toEqual(['r']);
  });

  it('[GIT10] starts from a repository that its parent made itself', async () => {
    const bench = await Bench.open();
    const parent = await parentAfter(
      bench,
      `git init -q; echo a > a; git add a; ${COMMIT} -m a; echo b > b`,
      null,
    );
    const child = childOf(parent, `cat a b; ${SHOW}`);
    const thread = await ended(bench, child);
    expect(thread.texts).toEqual([
      'a',
      'b',
      `filepath Uncommitted work of ${parent.slug}`,
      'a a',
      `filepath/${child.slug}`,
      'a',
      'b',
    ]);
    expect(told(thread).at(-1)).toMatch(/^ready from its parent /);
  });

  it('[GIT11] starts from the repository where its parent has nothing to go on with, and says so', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ file: 'one\n' });
    const bare = shellOrder('rm -rf .git', { gitRepoUrl });
    await ended(bench, bare);
    const child = await ended(bench, childOf(bare, 'cat file'));
    expect(child.texts).toEqual(['one']);
    expect(told(child).at(-1)).toContain(
      `from the repository, not from its parent ${bare.slug}: it has no repository`,
    );
    const nobody = shellOrder('', { gitRepoUrl });
    const orphan = await ended(bench, childOf(nobody, 'cat file'));
    expect(orphan.texts).toEqual(['one']);
    expect(told(orphan).at(-1)).toContain('its home is not here');
    const folder = shellOrder('true');
    await ended(bench, folder);
    const empty = await ended(bench, childOf(folder, 'ls -A; echo empty'));
    expect(empty.texts).toEqual(['empty']);
    expect(told(empty)).toEqual(['ready empty folder']);
  });

  it('[GIT11] keeps its workspace at the next start, wherever its parent is by then', async () => {
    const bench = await Bench.open();
    const parent = await parentAfter(bench, 'true', repositoryOf({ file: 'one\n' }));
    const child = childOf(parent, 'ls');
    const thread = await ended(bench, child);
    await bench.logged(child, 'over');
    writeFileSync(join(workspaceOf(bench, parent), 'later'), 'x');
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    await ended(bench, { ...child, epoch: 2 });
    expect(thread.texts).toEqual(['file']);
  });
});
