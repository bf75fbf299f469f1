import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import {
  again,
  AS,
  commit,
  family,
  merged,
  mergeOrder,
  SESSION,
  toParent,
  workspace,
} from './families.ts';
import { pushed, resultOf } from './jobs.ts';
import { ended, git } from './repositories.ts';
import { Bench, processesOf, runnerProcess, shellOrder, tempDir } from './setup.ts';

describe('a merge', () => {
  it('[MERGE1] into an idle parent fast-forwards its workspace, then makes a merge commit', async () => {
    const bench = await Bench.open();
    const { lead, helpers, mirror } = await family(
      bench,
      'true',
      commit('a', 'a'),
      commit('b', 'b'),
    );
    const [one, two] = helpers as [StartOrder, StartOrder];
    const tip = git(workspace(bench, one), 'rev-parse', 'HEAD');
    expect(await merged(bench, one, toParent(lead))).toMatchObject({
      type: 'merged',
      node: one.thread,
      name: 'helper',
      target: 'lead',
      how: 'ff',
      taken: true,
      commit: tip,
      from: tip,
    });
    const second = await merged(bench, two, toParent(lead));
    expect(second).toMatchObject({ type: 'merged', how: 'merge', taken: true, before: tip });
    const at = workspace(bench, lead);
    const head = git(at, 'rev-parse', 'HEAD');
    expect(git(mirror, 'log', '-1', '--format=%an <%ae> %s', head)).toBe(
      'filepath <filepath@localhost> Merge the work of helper into lead',
    );
    expect(readdirSync(at).sort()).toEqual(['.git', 'a', 'b', 'text']);
    expect(git(mirror, 'rev-parse', `refs/merged/${lead.slug}`)).toBe(head);
    expect(await merged(bench, two, toParent(lead))).toMatchObject({ how: 'none' });
    expect(readdirSync(bench.agentDir(two))).not.toContain('merging');
  });

  it('[MERGE2] into a parent at work, or with changes, leaves its workspace alone; the commit is there to be merged', async () => {
    const bench = await Bench.open();
    const { lead, helpers } = await family(bench, 'true', commit('a', 'a'), commit('b', 'b'));
    const [one, two] = helpers as [StartOrder, StartOrder];
    const next = { ...lead, epoch: 2, config: { command: ['sh', '-c', `echo x >> text; cat`] } };
    bench.worker.thread(lead.thread).epoch = 2;
    Object.assign(bench.worker.thread(lead.thread), { observed: [], lines: [], offset: 0 });
    bench.worker.order(next);
    const at = workspace(bench, lead);
    await expect.poll(() => readFileSync(join(at, 'text'), 'utf8')).toContain('x');
    const before = git(at, 'rev-parse', 'HEAD');
    expect(await merged(bench, one, toParent(lead, true))).toMatchObject({
      how: 'ff',
      taken: false,
    });
    const second = await merged(bench, two, toParent(lead, false));
    expect(second).toMatchObject({ type: 'merged', how: 'merge', taken: false });
    expect(git(at, 'rev-parse', 'HEAD')).toBe(before);
    // What waits has both: the second went on from the first.
    const hash = second.type === 'merged' ? second.commit : '';
    const mirrorAt =
      readdirSync(join(bench.home, 'mirrors')).find((name) => name.endsWith('.git')) ?? '';
    expect(
      git(join(bench.home, 'mirrors', mirrorAt), 'ls-tree', '--name-only', hash).split('\n'),
    ).toEqual(['a', 'b', 'text']);
  });

  it('[MERGE3] that conflicts changes nothing, and tells files and hunks; once resolved it is done', async () => {
    const bench = await Bench.open();
    const { lead, helpers, mirror } = await family(
      bench,
      'true',
      `${AS} sed -i 's/^5$/five/' text; git commit -qam five`,
      `${AS} sed -i 's/^5$/FIVE/' text; git commit -qam FIVE`,
    );
    const [one, two] = helpers as [StartOrder, StartOrder];
    await merged(bench, one, toParent(lead));
    const ours = git(workspace(bench, lead), 'rev-parse', 'HEAD');
    const result = await merged(bench, two, toParent(lead), { hand: true });
    expect(result).toMatchObject({ type: 'conflict', ours, truncated: false, hand: true });
    const files = result.type === 'conflict' ? result.files : [];
    expect(files.map(({ path }) => path)).toEqual(['text']);
    expect(files[0]?.hunks[0]).toMatch(/^<{7} .*\nfive\n={7}\nFIVE\n>{7} /);
    expect(git(mirror, 'rev-parse', `refs/merged/${lead.slug}`)).toBe(ours);
    expect(git(workspace(bench, lead), 'rev-parse', 'HEAD')).toBe(ours);
    const resolve = `git merge -q ${ours} || true; sed -i '/^[<=>]/d;/^five$/d' text; git commit -qam both`;
    await again(bench, two, resolve);
    expect(await merged(bench, two, toParent(lead))).toMatchObject({ how: 'ff', taken: true });
    expect(readFileSync(join(workspace(bench, lead), 'text'), 'utf8')).toBe(
      '1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n',
    );
  });

  it('[MERGE4] with `ff` is refused where it cannot be, and `merge` makes a commit where it need not', async () => {
    const bench = await Bench.open();
    const { lead, helpers } = await family(bench, 'true', commit('a', 'a'), commit('b', 'b'));
    const [one, two] = helpers as [StartOrder, StartOrder];
    expect(await merged(bench, one, toParent(lead), { mode: 'merge' })).toMatchObject({
      how: 'merge',
      taken: true,
    });
    expect(await merged(bench, two, toParent(lead), { mode: 'ff' })).toMatchObject({
      type: 'job_failed',
      work: 'merge',
      reason: expect.stringContaining('lead has commits that helper has not'),
    });
  });

  it('[MERGE5] into the session’s branch is kept in the mirror, and can be pushed', async () => {
    const bench = await Bench.open();
    const { helpers, gitRepoUrl, mirror } = await family(
      bench,
      'true',
      commit('a', 'a'),
      commit('b', 'b'),
    );
    const [one, two] = helpers as [StartOrder, StartOrder];
    expect(await pushed(bench, one, { session: 'filepath/work-1' })).toMatchObject({
      type: 'job_failed',
      reason: expect.stringContaining('nothing was merged'),
    });
    expect(await merged(bench, one, SESSION)).toMatchObject({
      how: 'ff',
      target: 'filepath/work-1',
    });
    expect(await merged(bench, two, SESSION)).toMatchObject({ how: 'merge', taken: false });
    const result = await pushed(bench, two, { session: 'filepath/work-1' });
    expect(result).toMatchObject({ type: 'pushed', branch: 'filepath/work-1' });
    const head = git(mirror, 'rev-parse', 'refs/sessions/filepath/work-1');
    expect(git(gitRepoUrl, 'rev-parse', 'filepath/work-1')).toBe(head);
    expect(git(gitRepoUrl, 'ls-tree', '--name-only', head)).toBe('a\nb\ntext');
  });

  it('[MERGE5] into the session’s branch begins it with the work where the repository has no commit', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = join(tempDir(), 'empty.git');
    git('/', 'init', '-q', '--bare', '-b', 'main', gitRepoUrl);
    const root = shellOrder(commit('a', 'a'), { gitRepoUrl });
    await ended(bench, root);
    const tip = git(workspace(bench, root), 'rev-parse', 'HEAD');
    expect(await merged(bench, root, SESSION)).toMatchObject({ how: 'ff', commit: tip });
    await again(bench, root, commit('b', 'b'));
    expect(await merged(bench, root, SESSION)).toMatchObject({ how: 'ff', before: tip });
    expect(await pushed(bench, root, { session: SESSION.branch })).toMatchObject({
      type: 'pushed',
    });
    expect(git(gitRepoUrl, 'ls-tree', '--name-only', SESSION.branch)).toBe('a\nb');
  });

  it('[MERGE6] of work without a repository, or into a parent that is not here, says what to do', async () => {
    const bench = await Bench.open();
    const none = shellOrder('true');
    await ended(bench, none);
    expect(await merged(bench, none, SESSION)).toMatchObject({
      reason: expect.stringContaining('not made from a repository'),
    });
    const { helpers } = await family(bench, 'true', commit('a', 'a'));
    const [one] = helpers as [StartOrder];
    expect(await merged(bench, one, toParent(shellOrder('true')))).toMatchObject({
      reason: expect.stringContaining('lead has no workspace here'),
    });
  });

  it('[MERGE6] that git refuses gives its reason, and nothing of how git is called', async () => {
    const bench = await Bench.open();
    const orphan = `${AS} git checkout -q --orphan new; git commit -qm new; git branch -f filepath/$(git for-each-ref --format='%(refname:lstrip=3)' refs/heads/filepath) new`;
    const { lead, helpers } = await family(bench, 'true', orphan);
    const [one] = helpers as [StartOrder];
    const result = await merged(bench, one, toParent(lead));
    expect(result).toMatchObject({ reason: expect.stringContaining('unrelated histories') });
    expect(JSON.stringify(result)).not.toMatch(/hint|graft/);
  });

  it('[MERGE7] runs nothing of either workspace on the host', async () => {
    const bench = await Bench.open();
    const tripwire = join(tempDir(), 'touched');
    const poison = `printf '#!/bin/sh\\ntouch ${tripwire}\\ncat\\n' > /home/agent/evil; chmod +x /home/agent/evil; cp /home/agent/evil .git/evil
      for name in core.fsmonitor core.sshCommand diff.external merge.evil.driver filter.evil.smudge filter.evil.clean \\
        core.alternateRefsCommand uploadpack.packObjectsHook gpg.program; do git config $name '.git/evil %A'; done
      git config commit.gpgSign true; mkdir -p .git/hooks
      for name in post-merge pre-merge-commit reference-transaction post-checkout; do cp .git/evil .git/hooks/$name; done
      git config core.hooksPath .git/hooks`;
    const attributes = `printf '* merge=evil filter=evil diff=evil\\n' > .gitattributes; git add .gitattributes; git commit -qm at;`;
    const { lead, helpers } = await family(
      bench,
      `${commit('c', 'c')} ${poison}`,
      `${commit('a', 'a')} ${attributes} ${poison}`,
      `${commit('b', 'b')} ${attributes} ${poison}`,
    );
    const [one, two] = helpers as [StartOrder, StartOrder];
    expect(await merged(bench, one, toParent(lead))).toMatchObject({ type: 'merged' });
    expect(await merged(bench, two, toParent(lead))).toMatchObject({ type: 'merged' });
    expect(existsSync(tripwire)).toBe(false);
  });

  it('[MERGE8] that a kill of the runner interrupts is repeated, and its refs are whole', async () => {
    const bench = await Bench.open();
    const { lead, helpers, mirror } = await family(
      bench,
      'true',
      commit('a', 'a'),
      commit('b', 'b'),
    );
    const [one, two] = helpers as [StartOrder, StartOrder];
    await merged(bench, one, toParent(lead));
    await bench.stop();
    const order = mergeOrder(two, toParent(lead));
    bench.worker.order(order);
    // It stands still where the branch is to be moved: both are joined, and nothing says so yet.
    const before = git(mirror, 'rev-parse', `refs/merged/${lead.slug}`);
    const [programs, reached] = [tempDir(), join(tempDir(), 'reached')];
    writeFileSync(
      join(programs, 'git'),
      `#!/bin/sh
case "$*" in *"update-ref refs/merged/"*) : > ${reached}; exec sleep 600 ;; esac
PATH=\${PATH#*:}
exec git "$@"
`,
      { mode: 0o755 },
    );
    const path = `PATH=${programs}:${process.env['PATH'] ?? ''}`;
    const child = runnerProcess(bench, ['/usr/bin/env', path]);
    await expect.poll(() => existsSync(reached)).toBe(true);
    await child.kill();
    expect(git(mirror, 'rev-parse', `refs/merged/${lead.slug}`)).toBe(before);
    const file = join(bench.agentDir(two), 'jobs', `${order.id}.json`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ state: 'open', tries: 1 });
    git(mirror, 'fsck', '--connectivity-only');
    await bench.start();
    expect(await resultOf(bench, order)).toMatchObject({
      type: 'merged',
      how: 'merge',
      taken: true,
    });
    const at = workspace(bench, lead);
    expect(git(at, 'rev-parse', 'HEAD')).toBe(git(mirror, 'rev-parse', `refs/merged/${lead.slug}`));
    const merges = git(mirror, 'log', '--merges', '--format=%s', `refs/merged/${lead.slug}`);
    expect(merges).toBe('Merge the work of helper into lead');
    expect(readdirSync(bench.agentDir(two))).not.toContain('merging');
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
  });
});
