import { lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, repositoryOf } from '../repositories.ts';
import { executors, hostileOrder } from './executors.ts';
import { hostCanary, isOver, nextEpoch, open, remove } from './host.ts';

/** Every part of the name of a place that is mounted. */
const PARTS =
  'workspace home agent run mirror.git filepath gw.sock tmp proc dev usr etc passwd hosts ssl bin lib lib64 oldroot newroot objects .git'.split(
    ' ',
  );

/** Links to where a maker of mounts has the host's root, and to the host itself. */
const plant = (target: string): string => `
for dir in /workspace /home/agent; do
  cd $dir
  for name in ${PARTS.join(' ')}; do
    rm -rf "$name"; ln -s /oldroot${target} "$name" || ln -s ${target} "$name"
    mkdir -p "deep/$name.d"; ln -sf ${target} "deep/$name.d/$name"
  done
  ln -s /newroot${target} new; ln -s ../../../..${target} up; ln -s /proc/1/root${target} proc-root
  ln -s . self; ln -s loop loop
done
ls /workspace | wc -l`;

describe.each(executors)('T9: links with the names of mounts, with $name', (executor) => {
  it('[RUN11] are not followed when the next sandbox is made', async () => {
    const bench = await open(executor);
    const host = hostCanary();
    const before = host.tree();
    for (const gitRepoUrl of [null, executor.share(repositoryOf({ file: 'content\n' }))]) {
      const first = hostileOrder(executor, plant(host.dir), { gitRepoUrl });
      const planted = await ended(bench, first);
      expect(Number(planted.texts[0])).toBeGreaterThan(PARTS.length);
      const script = `cd /workspace
        for name in * .git; do ( echo x > "$name/file" ) 2> /dev/null && echo "through $name"; done
        ( : > ${host.dir}/file ) 2> /dev/null && echo open
        [ -e /oldroot ] || [ -e /newroot ] && echo roots; readlink workspace; pwd; echo end`;
      for (const epoch of [2, 3]) {
        const thread = await nextEpoch(bench, hostileOrder(executor, script, { ...first, epoch }));
        expect(thread.texts).toEqual([
          'through deep',
          'through self',
          `/oldroot${host.dir}`,
          '/workspace',
          'end',
        ]);
      }
    }
    expect(host.tree()).toEqual(before);
  });

  it.each(['workspace', 'home'])(
    '[SEC21] a link in the place of the %s refuses the start',
    async (name) => {
      const bench = await open(executor);
      const host = hostCanary();
      const before = host.tree();
      const first = hostileOrder(executor, 'true');
      await ended(bench, first);
      const place = join(bench.agentDir(first), name);
      renameSync(place, `${place}.away`);
      symlinkSync(host.dir, place);
      const thread = await nextEpoch(bench, { ...first, epoch: 2 });
      expect(thread.refused).toMatch(new RegExp(`${name} .*is no directory.*remove it`));
      expect(host.tree()).toEqual(before);
      expect(lstatSync(place).isSymbolicLink()).toBe(true);
      rmSync(place);
      renameSync(`${place}.away`, place);
      const again = await nextEpoch(bench, { ...first, epoch: 3 });
      expect(again.exit).toMatchObject({ code: 0 });
    },
  );

  it.each([
    ['a link to one of the host', (git: string) => `ln -s ${git} .git`],
    ['a file that names one of the host', (git: string) => `echo "gitdir: ${git}" > .git`],
    ['a link in it', (git: string) => `mkdir .git; ln -s ${git}/logs ${git}/HEAD ${git}/refs .git`],
    ['a pipe', () => `mkdir -p .git/logs; mkfifo .git/HEAD .git/logs/HEAD`],
    [
      'a worktree elsewhere',
      (git: string) =>
        `mkdir -p .git/logs; echo "${git}" > .git/commondir; echo 'ref: refs/heads/../../../../../../..${git}/refs/heads/main' > .git/HEAD`,
    ],
  ])('[GIT6] a .git that is %s shows nothing of the host', async (_what, make) => {
    const bench = await open(executor);
    const repository = executor.share(repositoryOf({ file: 'content\n' }));
    const script = `${make(join(repository, '.git'))}; echo made`;
    const order = hostileOrder(executor, script);
    const thread = await ended(bench, order);
    expect(thread.texts).toEqual(['made']);
    const told = [...thread.observed];
    const next = await nextEpoch(
      bench,
      hostileOrder(executor, 'echo more >> x', { ...order, epoch: 2 }),
    );
    expect([...told, ...next.observed].map(({ type }) => type)).not.toContain('head');
    expect(next.exit?.code).toBe(0);
  });

  it('[RUN9] a removal moves links and removes nothing behind them', async () => {
    const bench = await open(executor);
    const host = hostCanary();
    const before = host.tree();
    const order = hostileOrder(executor, plant(host.dir));
    await ended(bench, order);
    await isOver(bench, order);
    await remove(bench, order);
    expect(host.tree()).toEqual(before);
  });
});
