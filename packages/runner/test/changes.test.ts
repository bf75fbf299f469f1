import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Changes, CHANGES_BYTES, type StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { type Range, rangesBefore } from '../src/git/ranges-before.ts';
import { ended, git, repositoryOf } from './repositories.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

const AS = 'git config user.name a; git config user.email a@a;';
const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join('');

async function changes(
  bench: Bench,
  { thread, slug }: StartOrder,
  file?: string,
): Promise<Changes> {
  const more = file === undefined ? {} : { file };
  const answer = await bench.worker.ask({ kind: 'changes', thread, slug, ...more });
  if (answer.kind === 'changes') return answer.changes;
  throw new Error(answer.kind === 'failed' ? answer.reason : answer.kind);
}

describe('what an agent changed', () => {
  it('[DIFF1] is told against the commit it began at, committed or not, with hunks', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({
      text: LINES,
      gone: 'x\n',
      both: 'a\nb\n',
      '.gitignore': 'skip\n',
    });
    const base = git(gitRepoUrl, 'rev-parse', 'HEAD');
    const order = shellOrder(
      `${AS} sed -i 's/^line 3$/three/' text; sed -i 1d both; git rm -q gone; git commit -qam one
       sed -i '$a end' both; printf 'a\\0b' > "new file"; echo x > skip`,
      { gitRepoUrl },
    );
    await ended(bench, order);
    const head = git(join(bench.agentDir(order), 'workspace'), 'rev-parse', 'HEAD');
    expect(await changes(bench, order)).toEqual({
      base,
      head,
      truncated: false,
      partial: false,
      files: [
        file('both', 'modified', [1, 1], [true, true], [[1, 2], [1, 2], '-a\n b\n+end\n']),
        file('gone', 'deleted', [0, 1], [true, false], [[1, 1], [0, 0], '-x\n']),
        {
          ...file('new file', 'added', [0, 0], [false, true]),
          additions: null,
          deletions: null,
          binary: true,
        },
        file(
          'text',
          'modified',
          [1, 1],
          [true, false],
          [[1, 6], [1, 6], ' line 1\n line 2\n-line 3\n+three\n line 4\n line 5\n line 6\n'],
        ),
      ],
    });
    const one = await changes(bench, order, 'text');
    expect(one.files.map(({ path }) => path)).toEqual(['text']);
  });

  it('[DIFF1] says what is no plain file, and what became a program or is none any more', async () => {
    const bench = await Bench.open();
    const order = shellOrder(
      `${AS} chmod +x text; ln -s text link; git rm -q old; ln -sf a b; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub
       echo '#!/bin/sh' > new; chmod +x new; git add link new b text; git commit -qm one; mkdir sub`,
      { gitRepoUrl: repositoryOf({ text: LINES, old: 'x\n', b: 'b\n' }) },
    );
    await ended(bench, order);
    const { files } = await changes(bench, order);
    expect(
      files.map(({ path, status, kind, executable }) => [path, status, kind, executable]),
    ).toEqual([
      ['b', 'type', 'link', undefined],
      ['link', 'added', 'link', undefined],
      ['new', 'added', undefined, undefined],
      ['old', 'deleted', undefined, undefined],
      ['sub', 'added', 'submodule', undefined],
      ['text', 'modified', undefined, true],
    ]);
  });

  it('[DIFF2] of a child begins at its parent’s work; without a repository everything is new', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    const parent = shellOrder('echo half > half', { gitRepoUrl });
    await ended(bench, parent);
    const child = shellOrder('echo mine > mine', {
      gitRepoUrl,
      parent: { thread: parent.thread, slug: parent.slug },
    });
    await ended(bench, child);
    const told = await changes(bench, child);
    expect(told.files.map(({ path }) => path)).toEqual(['mine']);
    expect(told.base).toBe(readFileSync(join(bench.agentDir(child), 'base'), 'utf8').trim());
    const none = shellOrder(`git init -q; ${AS} echo a > a; git add a; git commit -qm a`);
    await ended(bench, none);
    expect(await changes(bench, none)).toMatchObject({ base: null, files: [{ path: 'a' }] });
    const empty = shellOrder('true');
    await ended(bench, empty);
    await expect(changes(bench, empty)).rejects.toThrow('there is no repository in it');
    await expect(changes(bench, shellOrder('true'))).rejects.toThrow('no workspace yet');
  });

  it('[DIFF3] is bounded in files and bytes, and says what is left out', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    const order = shellOrder(
      `mkdir d; for n in $(seq 1 1200); do echo $n > d/$n; done
       for n in 1 2 3; do seq -f '%020g' 1 20000 > large$n; done`,
      { gitRepoUrl },
    );
    await ended(bench, order);
    const told = await changes(bench, order);
    expect(told.truncated).toBe(true);
    expect(told.files).toHaveLength(1000);
    const large = shellOrder(`for n in 1 2 3; do seq -f '%020g' 1 20000 > large$n; done`, {
      gitRepoUrl,
    });
    await ended(bench, large);
    const three = await changes(bench, large);
    expect(Buffer.byteLength(JSON.stringify(three))).toBeLessThan(CHANGES_BYTES);
    expect(three.files.map(({ truncated, additions }) => [truncated, additions])).toEqual([
      [false, 20000],
      [false, 20000],
      [true, 20000],
    ]);
    const [only] = (await changes(bench, large, 'large3')).files;
    expect(only).toMatchObject({ truncated: false, hunks: [{ to: [1, 20000] }] });
  });

  it.each([
    ['an answer', 'seq 1 130000 > huge'],
    ['what is read of a patch', 'seq 1 600000 > huge'],
  ])(
    '[DIFF3] of a file that is more than %s it has the first lines that fit',
    async (_, script) => {
      const bench = await Bench.open();
      const order = shellOrder(`${script}; echo a > zlast`, {
        gitRepoUrl: repositoryOf({ a: 'a\n' }),
      });
      await ended(bench, order);
      const all = await changes(bench, order);
      expect(all.files[0]).toMatchObject({ path: 'huge', hunks: [], truncated: true });
      const told = await changes(bench, order, 'huge');
      expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThan(CHANGES_BYTES);
      const [huge] = told.files;
      expect(huge?.truncated).toBe(true);
      expect(huge?.hunks).toHaveLength(1);
      const { from, to, text } = huge?.hunks[0] ?? { from: [], to: [], text: '' };
      const lines = text.split('\n').slice(0, -1);
      expect(lines.length).toBeGreaterThan(50_000);
      expect([from, to]).toEqual([
        [0, 0],
        [1, lines.length],
      ]);
      expect(lines).toEqual(lines.map((_line, n) => `+${n + 1}`));
    },
  );

  it('[DIFF3] of a line that is longer than an answer it has nothing, and says so', async () => {
    const bench = await Bench.open();
    const order = shellOrder(`head -c 1500000 /dev/zero | tr '\\0' x > huge`, {
      gitRepoUrl: repositoryOf({ a: 'a\n' }),
    });
    await ended(bench, order);
    const told = await changes(bench, order, 'huge');
    expect(told.files).toMatchObject([{ path: 'huge', hunks: [], truncated: true }]);
  });

  it('[DIFF4] runs nothing on the host that a workspace names, nor what it names of filters and diffs outside', async () => {
    const bench = await Bench.open();
    const tripwire = join(tempDir(), 'touched');
    const gitRepoUrl = repositoryOf({ a: 'a\n', '.gitattributes': '* filter=evil diff=evil\n' });
    const order = shellOrder(
      `${AS} printf '#!/bin/sh\\ntouch ${tripwire}; touch /workspace/ran; cat\\n' > evil; chmod +x evil
       git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),m
       for name in core.fsmonitor diff.external filter.evil.clean filter.evil.smudge diff.evil.textconv \\
         diff.evil.command core.pager core.sshCommand core.alternateRefsCommand; do git config $name /workspace/evil; done
       git config core.hooksPath /workspace/hooks; mkdir hooks; cp evil hooks/post-index-change
       printf '[submodule "m"]\\n\\tpath = m\\n\\turl = ext::sh -c "touch ${tripwire}"\\n' > .gitmodules
       echo b > a; printf '\\n"odd\\tname' > '"odd
name'`,
      { gitRepoUrl },
    );
    await ended(bench, order);
    const told = await changes(bench, order);
    expect(told.files.map(({ path }) => path)).toContain('"odd\nname');
    expect(told.files.find(({ path }) => path === 'a')?.hunks[0]?.text).toBe('-a\n+b\n');
    expect(existsSync(tripwire)).toBe(false);
    expect(existsSync(join(bench.agentDir(order), 'workspace', 'ran'))).toBe(false);
  });

  it('[DIFF5] is told by its lines when there is a commit, and when the process has ended', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ text: LINES });
    const order = shellOrder(
      `${AS} sed -i '3,4d;10s/.*/ten/' text; git commit -qam one; read line; echo more >> text`,
      { gitRepoUrl },
    );
    bench.worker.order(order);
    const touched = () => bench.worker.touched.get(order.thread);
    await bench.worker.until('a report', () => touched() !== undefined);
    expect(touched()).toMatchObject({
      dirty: false,
      files: [
        {
          path: 'text',
          ranges: [
            [3, 2],
            [10, 1],
          ],
        },
      ],
    });
    bench.worker.input(order.thread, 'go');
    await bench.worker.until('the end', () => touched()?.dirty === true);
    expect(touched()?.files[0]?.ranges).toEqual([
      [3, 2],
      [10, 1],
      [30, 0],
    ]);
    bench.worker.touched.clear();
    bench.worker.dropControl();
    await bench.worker.until('told again', () => touched() !== undefined);
  });

  it('[DIFF5] is told of what a living agent did and did not commit: while its run is open, and when the run is over', async () => {
    const bench = await Bench.open();
    const tool = (status: string): string =>
      `echo '{"type":"tool","name":"t","status":"${status}"}'`;
    const order = shellOrder(
      `echo up; ${tool('start')}; sed -i 3d text; ${tool('done')}; read line; sed -i 1d text; echo '{"type":"done"}'; read line`,
      { gitRepoUrl: repositoryOf({ text: LINES }) },
    );
    bench.worker.order(order);
    const touched = () => bench.worker.touched.get(order.thread);
    await bench.worker.until('a report', () => touched() !== undefined);
    expect(touched()).toMatchObject({ dirty: true, files: [{ path: 'text', ranges: [[3, 1]] }] });
    bench.worker.touched.clear();
    bench.worker.input(order.thread, 'go');
    await bench.worker.until('the end of the run', () => touched() !== undefined);
    expect(touched()?.files[0]?.ranges).toEqual([
      [1, 1],
      [3, 1],
    ]);
    expect(bench.worker.thread(order.thread).exit).toBeUndefined();
  });

  it('[DIFF8] is told by the lines of the remote’s branch too, where its parent changed the file before; and where a file went', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ text: LINES, other: LINES, moved: LINES, 'a b': 'x\n' });
    const blob = (dir: string, name: string) => git(dir, 'rev-parse', name);
    const parent = shellOrder(`${AS} sed -i '2d;20s/.*/twenty/' text; git commit -qam one`, {
      gitRepoUrl,
    });
    await ended(bench, parent);
    const child = shellOrder(
      `${AS} sed -i '5s/.*/five/;19s/.*/XX/' text; sed -i 5d other; git mv moved 'new place'; echo y > 'a b'; git commit -qam two; sed -i 9d other`,
      { gitRepoUrl, parent: { thread: parent.thread, slug: parent.slug } },
    );
    await ended(bench, child);
    await bench.worker.until('a report', () => bench.worker.touched.has(child.thread));
    const files = bench.worker.touched.get(child.thread)?.files ?? [];
    const found = (path: string) => files.find((file) => file.path === path);
    const ours = join(bench.agentDir(parent), 'workspace');
    expect(found('text')).toEqual({
      path: 'text',
      from: blob(ours, 'HEAD:text'),
      to: blob(join(bench.agentDir(child), 'workspace'), 'HEAD:text'),
      ranges: [
        [5, 1],
        [19, 1],
      ],
      origin: {
        from: blob(gitRepoUrl, 'HEAD:text'),
        ranges: [
          [6, 1],
          [20, 1],
        ],
        had: [
          [2, 1],
          [20, 1],
        ],
      },
    });
    expect(found('other')).not.toHaveProperty('origin');
    expect(found('moved')).toMatchObject({ to: null, renamed: 'new place' });
    expect(found('a b')).toBeDefined();
  });

  it.each<[string, Range, Range]>([
    ['before all of it', [2, 1], [2, 1]],
    ['behind more lines', [9, 2], [7, 2]],
    ['in what was put in', [5, 1], [3, 0]],
    ['from before into it', [3, 2], [3, 1]],
    ['behind a removal', [18, 1], [18, 1]],
    ['where lines were removed', [17, 0], [16, 2]],
    ['in what was replaced', [31, 1], [31, 2]],
    ['behind what was replaced', [33, 1], [34, 1]],
  ])('[DIFF8] maps a range %s', (_, range, before) => {
    const hunks: { from: Range; to: Range }[] = [
      { from: [3, 0], to: [4, 2] },
      { from: [16, 2], to: [17, 0] },
      { from: [31, 2], to: [31, 1] },
    ];
    expect(rangesBefore([range], hunks)).toEqual([before]);
  });

  it('[DIFF5] is told when HEAD moves without a commit', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ text: LINES });
    const order = shellOrder(
      `${AS} sed -i 3d text; git commit -qam one; read line; git reset -q --hard HEAD~1
       read line; git checkout -q -B other HEAD@{1}; read line`,
      { gitRepoUrl },
    );
    bench.worker.order(order);
    const files = () => bench.worker.touched.get(order.thread)?.files.length;
    await bench.worker.until('the commit', () => files() === 1);
    bench.worker.input(order.thread, 'go');
    await bench.worker.until('the reset', () => files() === 0);
    bench.worker.input(order.thread, 'go');
    await bench.worker.until('the checkout', () => files() === 1);
    expect(bench.worker.thread(order.thread).exit).toBeUndefined();
  });
});

type Place = [number, number];

function file(
  path: string,
  status: string,
  [additions, deletions]: Place,
  [committed, uncommitted]: [boolean, boolean],
  ...hunks: [Place, Place, string][]
): object {
  return {
    path,
    status,
    additions,
    deletions,
    binary: false,
    committed,
    uncommitted,
    hunks: hunks.map(([from, to, text]) => ({ from, to, text })),
    truncated: false,
  };
}
