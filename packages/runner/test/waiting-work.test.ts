import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { again, AS, commit, family, merged, SESSION, toParent, workspace } from './families.ts';
import { pushed } from './jobs.ts';
import { git } from './repositories.ts';
import { Bench } from './setup.ts';

const filesOf = (at: string, commitish: string): string[] =>
  git(at, 'ls-tree', '--name-only', commitish).split('\n');

/** A parent with a change that is not committed, into which the first of its children was merged. */
async function waiting(...children: string[]) {
  const bench = await Bench.open();
  const made = await family(bench, 'true', ...children);
  const { lead, helpers } = made;
  await again(bench, lead, 'echo dirty >> text');
  const first = helpers[0] as StartOrder;
  expect(await merged(bench, first, toParent(lead))).toMatchObject({ how: 'ff', taken: false });
  return { bench, ...made, at: workspace(bench, lead) };
}

const COMMIT = `${AS} git commit -qam own`;

describe('what was merged into a parent and waits to be taken', () => {
  it('[MERGE2] is gone on from when the parent has committed meanwhile', async () => {
    const { bench, lead, helpers, at, mirror } = await waiting(commit('a', 'a'), commit('b', 'b'));
    const [one, two] = helpers as [StartOrder, StartOrder];
    await again(bench, lead, COMMIT);
    expect(await merged(bench, two, toParent(lead))).toMatchObject({ how: 'merge', taken: true });
    expect(readdirSync(at).sort()).toEqual(['.git', 'a', 'b', 'text']);
    const head = git(at, 'rev-parse', 'HEAD');
    expect(git(mirror, 'log', '--format=%s', head).split('\n')).toContain('own');
    expect(await merged(bench, one, toParent(lead))).toMatchObject({ how: 'none', taken: true });
  });

  it('[MERGE23] is taken when the merge is asked for again and the parent has no changes any more', async () => {
    const { bench, lead, helpers, at } = await waiting(commit('a', 'a'));
    const [one] = helpers as [StartOrder];
    expect(await merged(bench, one, toParent(lead))).toMatchObject({ how: 'none', taken: false });
    await again(bench, lead, COMMIT);
    expect(await merged(bench, one, toParent(lead))).toMatchObject({ type: 'merged', taken: true });
    expect(existsSync(join(at, 'a'))).toBe(true);
  });

  it('[MERGE25] is taken as it was merged, without what came since', async () => {
    const { bench, lead, helpers, at } = await waiting(commit('a', 'a'));
    const [one] = helpers as [StartOrder];
    const from = git(workspace(bench, one), 'rev-parse', 'HEAD');
    await again(bench, one, commit('later', 'later'));
    await again(bench, lead, COMMIT);
    expect(await merged(bench, one, toParent(lead), { commit: from })).toMatchObject({
      type: 'merged',
      from,
      taken: true,
    });
    expect(readdirSync(at).sort()).toEqual(['.git', 'a', 'text']);
    const unknown = { commit: 'f'.repeat(40) };
    expect(await merged(bench, one, toParent(lead), unknown)).toMatchObject({
      type: 'job_failed',
      reason: expect.stringContaining('no commit'),
    });
  });

  it('[MERGE23] is taken where the parent merged it itself, at work or not', async () => {
    const { bench, lead, helpers, mirror } = await waiting(commit('a', 'a'));
    const [one] = helpers as [StartOrder];
    const hash = git(mirror, 'rev-parse', `refs/merged/${lead.slug}`);
    await again(bench, lead, `${COMMIT}; git merge -q ${hash}; echo more >> text`);
    expect(await merged(bench, one, toParent(lead, true))).toMatchObject({
      how: 'none',
      taken: true,
    });
  });

  it('[MERGE23] is in a push of the parent, and in a merge of it', async () => {
    const { bench, lead, mirror, gitRepoUrl } = await waiting(commit('a', 'a'));
    expect(await pushed(bench, lead)).toMatchObject({ type: 'pushed' });
    expect(filesOf(gitRepoUrl, `filepath/${lead.slug}`)).toEqual(['a', 'text']);
    await again(bench, lead, COMMIT);
    const tip = git(workspace(bench, lead), 'rev-parse', 'HEAD');
    expect(await merged(bench, lead, SESSION)).toMatchObject({ how: 'ff', from: tip });
    const whole = git(mirror, 'rev-parse', 'refs/sessions/filepath/work-1');
    expect(filesOf(mirror, whole)).toEqual(['a', 'text']);
    expect(git(mirror, 'log', '--format=%s', whole)).toContain('own');
    expect(await pushed(bench, lead)).toMatchObject({ type: 'pushed', commit: whole });
  });

  it('[MERGE24] is a conflict of the one whose work it is where the parent went another way; nothing is left out', async () => {
    const five = (word: string): string =>
      `${AS} sed -i 's/^5$/${word}/' text; git commit -qam ${word}`;
    const { bench, lead, helpers, mirror } = await waiting(five('five'), commit('b', 'b'));
    const [one, two] = helpers as [StartOrder, StartOrder];
    const before = git(mirror, 'rev-parse', `refs/merged/${lead.slug}`);
    await again(bench, lead, `git checkout -q text; ${five('FIVE')}`);
    const tip = git(workspace(bench, lead), 'rev-parse', 'HEAD');
    expect(await merged(bench, one, toParent(lead))).toMatchObject({
      type: 'conflict',
      ours: tip,
      files: [{ path: 'text' }],
    });
    for (const refused of [
      await merged(bench, two, toParent(lead)),
      await merged(bench, lead, SESSION),
      await pushed(bench, lead),
    ]) {
      expect(refused).toMatchObject({
        type: 'job_failed',
        reason: expect.stringContaining(`git merge ${before}`),
      });
    }
    expect(git(mirror, 'rev-parse', `refs/merged/${lead.slug}`)).toBe(before);
    const resolve = `git merge -q ${tip} || true; sed -i '/^[<=>]/d' text; git commit -qam both`;
    await again(bench, one, resolve);
    expect(await merged(bench, one, toParent(lead))).toMatchObject({ how: 'ff', taken: true });
    expect(await merged(bench, two, toParent(lead))).toMatchObject({ how: 'merge', taken: true });
  });

  it('[MERGE23] waits no more once the parent had it: what it rewrites after stays as it made it', async () => {
    const bench = await Bench.open();
    const { lead, helpers } = await family(bench, 'true', commit('a', 'a'), commit('b', 'b'));
    const [one, two] = helpers as [StartOrder, StartOrder];
    expect(await merged(bench, one, toParent(lead))).toMatchObject({ taken: true });
    await again(bench, lead, `${AS} git mv a c; git commit -q --amend -m c`);
    expect(await merged(bench, two, toParent(lead))).toMatchObject({ how: 'merge', taken: true });
    expect(readdirSync(workspace(bench, lead)).sort()).toEqual(['.git', 'b', 'c', 'text']);
  });
});
