import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody, StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { withFile } from '../src/beneath.ts';
import { parseMove, subjectOf } from '../src/git/reflog.ts';
import { ended, repositoryOf } from './repositories.ts';
import type { ThreadRecord } from './fake-worker.ts';
import { Bench, message, runnerProcess, shellOrder, tempDir } from './setup.ts';

type Head = Extract<RunnerBody, { type: 'head' }>;
const heads = (thread: ThreadRecord): Head[] =>
  thread.observed.flatMap((body) => (body.type === 'head' ? [body] : []));

const ME = 'git config user.name a; git config user.email a@a';
const commit = (subject: string): string =>
  `echo ${subject} >> file; git add file; git commit -q -m "${subject}"`;

describe('commits', () => {
  it('[GIT6] of an agent that says nothing are observed in order, before its exit', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ file: 'content\n' });
    const order = shellOrder(
      `${ME}; ${commit('one')}; ${commit('two')}; git checkout -q -b other; git reset -q --hard HEAD~1
      git log -g --format=%H`,
      { gitRepoUrl },
    );
    const thread = await ended(bench, order);
    const seen = heads(thread);
    expect(seen.map((head) => head.message)).toEqual(['one', 'two']);
    expect(seen[1]?.from).toBe(seen[0]?.to);
    expect(thread.texts).toContain(seen[1]?.to);
    expect(thread.observed.at(-1)?.type).toBe('exit');
  });

  it('[GIT6] are observed while the agent runs, in a repository that it made itself too', async () => {
    const bench = await Bench.open();
    const order = shellOrder(
      `git init -q -b main .; ${ME}; ${commit('first')}; read line; ${commit('second')}; read line`,
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('first', () => heads(thread).length === 1);
    expect(heads(thread)[0]).toMatchObject({ from: '0'.repeat(40), ref: 'refs/heads/main' });
    bench.worker.input(order.thread, message('go on'));
    await bench.worker.until('second', () => heads(thread).length === 2);
    expect(thread.exit).toBeUndefined();
  });

  it('[GIT6] are observed once across a killed runner, and in a later epoch only what it adds', async () => {
    const bench = await Bench.open({ idle: true });
    const first = runnerProcess(bench);
    const order: StartOrder = shellOrder(
      `${ME}; ${commit('one')}; ${commit('two')}; read line; ${commit('three')}; read line; ${commit('four')}`,
      { gitRepoUrl: repositoryOf({ file: 'content\n' }) },
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('two', () => heads(thread).length === 2);
    await first.kill();
    bench.worker.input(order.thread, message('while nobody looks'));
    bench.worker.input(order.thread, message('to the end'));
    await bench.start();
    await bench.worker.until('exit', () => thread.exit !== undefined);
    const subjects = (): string[] => heads(thread).map((head) => head.message);
    expect(subjects()).toEqual(['one', 'two', 'three', 'four']);
    await bench.logged(order, 'over');
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    await ended(bench, { ...order, epoch: 2, config: { command: ['sh', '-c', commit('five')] } });
    expect(subjects()).toEqual(['five']);
  });

  it('[GIT6] of a program that writes no log of HEAD are observed, once', async () => {
    const bench = await Bench.open();
    const order = shellOrder(
      `${ME}; git config core.logAllRefUpdates false; rm -r .git/logs
      ${commit('one')}; ${commit('two')}; read line; git reset -q --hard HEAD~1; ${commit('three')}`,
      { gitRepoUrl: repositoryOf({ file: 'content\n' }), inputs: [] },
    );
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('two', () => heads(thread).length === 2);
    bench.worker.input(order.thread, message('go on'));
    await bench.worker.until('exit', () => thread.exit !== undefined);
    expect(heads(thread).map((head) => head.message)).toEqual(['one', 'two', 'three']);
    expect(heads(thread)[2]?.from).toBe(heads(thread)[0]?.to);
    await bench.logged(order, 'over');
    Object.assign(thread, { epoch: 2, offset: 0, lines: [], observed: [], inputs: [] });
    await ended(bench, { ...order, epoch: 2, config: { command: ['true'] } });
    expect(heads(thread)).toEqual([]);
  });

  it('[GIT6] are bounded and redacted text, whatever the agent writes into the log of HEAD', async () => {
    const bench = await Bench.open();
    const secret = 'very-secret-value';
    const hash = (n: number): string => String(n).padStart(40, '0');
    const order = shellOrder(
      `mkdir -p .git/logs; exec > .git/logs/HEAD
      head -c 300000 /dev/zero | tr '\\0' x; echo
      echo garbage; printf '\\377\\376 bytes\\n'
      echo '${hash(1)} ${hash(2)} a <a> 1 +0000	commit: '$SECRET
      printf '${hash(2)} ${hash(3)} a <a> 1 +0000\\tcommit: '; head -c 5000 /dev/zero | tr '\\0' y; echo
      printf '${hash(3)} ${hash(4)} a <a> 1 +0000\\tcommit: cut off'`,
      {},
    );
    order.config = { ...order.config, envVars: { SECRET: secret } };
    const seen = heads(await ended(bench, order));
    expect(seen.map((head) => head.to)).toEqual([hash(2), hash(3)]);
    expect(seen[0]?.message).toBe('[redacted]');
    expect(seen[1]?.message).toHaveLength(1024);
  });

  it.each([
    ['the log', '.git/logs/HEAD'],
    ['its directory', '.git/logs'],
    ['the git directory', '.git'],
  ])('[GIT6] are not looked for behind a link in the place of %s', async (_what, at) => {
    const bench = await Bench.open();
    const host = tempDir();
    mkdirSync(join(host, 'logs'));
    const line = `${'0'.repeat(40)} ${'a'.repeat(40)} a <a> 1 +0000\tcommit: of the host\n`;
    writeFileSync(join(host, 'logs/HEAD'), line);
    const target = { '.git': host, '.git/logs': join(host, 'logs') }[at] ?? join(host, 'logs/HEAD');
    const script = `mkdir -p "$(dirname ${at})"; ln -s ${target} ${at}; mkfifo pipe; echo done`;
    const thread = await ended(bench, shellOrder(script));
    expect(thread.texts).toEqual(['done']);
    expect(heads(thread)).toEqual([]);
  });
});

describe('a file below the workspace', () => {
  it('[GIT6] is opened only where it is one', () => {
    const root = tempDir();
    mkdirSync(join(root, 'dir'));
    writeFileSync(join(root, 'dir/file'), 'x');
    symlinkSync(join(root, 'dir'), join(root, 'link'));
    symlinkSync('file', join(root, 'dir/link'));
    const before = readdirSync('/proc/self/fd').length;
    const opens = (...names: string[]): boolean => withFile(root, names, () => true) === true;
    expect(opens('dir', 'file')).toBe(true);
    expect(opens('link', 'file')).toBe(false);
    expect(opens('dir', 'link')).toBe(false);
    expect(opens('dir')).toBe(false);
    expect(opens('dir', 'none')).toBe(false);
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
    expect(existsSync(root)).toBe(true);
  });
});

describe('a line of the log of HEAD', () => {
  const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];
  it.each([
    ['commit: subject: more', 'subject: more'],
    ['commit (initial): subject', 'subject'],
    ['commit (amend): subject', 'subject'],
    ['commit (merge): Merge x', 'Merge x'],
    ['cherry-pick: subject', 'subject'],
    ['revert: Revert "x"', 'Revert "x"'],
    ['rebase (pick): subject', 'subject'],
    ['rebase -i (fixup): subject', 'subject'],
    ['am: subject', 'subject'],
    ["merge x: Merge made by the 'ort' strategy.", "merge x: Merge made by the 'ort' strategy."],
    ['merge x: Fast-forward', null],
    ['pull: Fast-forward', null],
    ['checkout: moving from a to b', null],
    ['reset: moving to HEAD~1', null],
    ['rebase (start): checkout main', null],
    ['rebase (finish): returning to refs/heads/x', null],
    ['clone: from /run/mirror.git', null],
    ['branch: Created from HEAD', null],
  ])('[GIT6] %s', (words, subject) => {
    const move = parseMove(`${A} ${B} A Name <a@b> 1700000000 +0100\t${words}`);
    expect(move).toEqual({ from: A, to: B, message: words });
    expect(move === null ? null : subjectOf(move)).toBe(subject);
  });
});
