import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GateResult, type JobOrder, type StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { initOf } from '../src/executor/process-files.ts';
import { RunDir } from '../src/home.ts';
import { childrenOf, signal } from '../src/proc.ts';
import { carriedOut, commit, jobOrder, resultOf } from './jobs.ts';
import { ended, repositoryOf } from './repositories.ts';
import { Bench, later, message, runnerProcess, shellOrder, tempDir } from './setup.ts';

const gateOf = (start: StartOrder, run: string, more: { inputs?: number } = {}): JobOrder =>
  jobOrder(start, { type: 'gate', epoch: 1, gates: { commands: [{ run }] }, ...more });

const found = async (bench: Bench, order: JobOrder): Promise<GateResult> =>
  GateResult.parse(await resultOf(bench, order));

/** Shell that waits for a file. */
const until = (file: string): string => `until [ -e ${file} ]; do sleep 0.01; done`;
/** As long, and no longer than a second. */
const within = (file: string): string =>
  `for i in $(seq 50); do [ -e ${file} ] && break; sleep 0.02; done`;

/** An agent that runs, and has said something. */
async function living(bench: Bench, start: StartOrder): Promise<void> {
  bench.worker.order(start);
  const thread = bench.worker.thread(start.thread);
  await bench.worker.until('a word', () => thread.texts.length > 0);
}

const WAYS: [string, () => { cgroupRoot?: string }][] = [
  ['a control group', () => ({})],
  ['signals', () => ({ cgroupRoot: tempDir() })],
];

describe.each(WAYS)('an agent that lives, held by %s', (_way, options) => {
  it('[GATE10] changes nothing while its work is tested, and goes on after that', async () => {
    const bench = await Bench.open(options());
    const script = `${commit('f', 'bad')}
      ${until('begun')}; echo good > f; touch wrote
      ${until('read')}; git checkout -q f; touch back; echo on; sleep 600`;
    const start = shellOrder(script, { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
    await living(bench, start);
    const thread = bench.worker.thread(start.thread);
    const run = `touch begun; ${within('wrote')}; test "$(cat f)" = good; a=$?; touch read; ${within('back')}; exit $a`;
    const order = gateOf(start, run);
    bench.worker.order(order);
    expect(await found(bench, order)).toMatchObject({
      passed: false,
      clean: true,
      commit: thread.texts[0],
    });
    await bench.worker.until('it goes on', () => thread.texts.includes('on'));
  });

  it('[GATE10] is let go by a message, and what was tested is then not the commit', async () => {
    const bench = await Bench.open(options());
    const script = `${commit('f')} while read -r line; do echo heard; touch heard; done`;
    const start = shellOrder(script, { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
    await living(bench, start);
    const order = gateOf(start, `touch begun; ${until('heard')}`, { inputs: 0 });
    bench.worker.order(order);
    const begun = join(bench.agentDir(start), 'workspace', 'begun');
    await expect.poll(() => existsSync(begun)).toBe(true);
    bench.worker.input(start.thread, message('go on'));
    expect(await found(bench, order)).toMatchObject({ passed: true, clean: false });
    // One that was called off before it began holds nobody still.
    const late = gateOf(start, `rm heard; touch again; ${until('heard')}`, { inputs: 0 });
    bench.worker.order(late);
    const again = join(bench.agentDir(start), 'workspace', 'again');
    await expect.poll(() => existsSync(again)).toBe(true);
    bench.worker.input(start.thread, JSON.stringify({ type: 'signal', action: 'handoff' }));
    expect(await found(bench, late)).toMatchObject({ passed: true, clean: false });
  });
});

it('[GATE7] an agent is held no longer by a runner that was killed while it tested', async () => {
  const bench = await Bench.open({ idle: true });
  const first = runnerProcess(bench);
  const script = `${commit('f')} while read -r line; do echo heard; done`;
  const start = shellOrder(script, { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
  await living(bench, start);
  const run = 'echo x >> ~/tries; touch ~/begun; [ "$(wc -l < ~/tries)" -gt 1 ] || sleep 600';
  const order = gateOf(start, run);
  bench.worker.order(order);
  const begun = join(bench.agentDir(start), 'home', 'begun');
  await expect.poll(() => existsSync(begun)).toBe(true);
  await first.kill();
  await bench.start();
  expect(await found(bench, order)).toMatchObject({ passed: true, clean: true });
  bench.worker.input(start.thread, message('go on'));
  const thread = bench.worker.thread(start.thread);
  await bench.worker.until('an answer', () => thread.texts.includes('heard'));
});

it('[GATE10] an agent that had itself woken while it was held by signals has run, and is known to have', async () => {
  const bench = await Bench.open({ cgroupRoot: tempDir() });
  const start = shellOrder(`${commit('f')} sleep 600`, {
    gitRepoUrl: repositoryOf({ a: 'a\n' }),
  });
  await living(bench, start);
  const order = gateOf(start, `touch ~/begun; ${until('~/go')}`);
  bench.worker.order(order);
  const home = join(bench.agentDir(start), 'home');
  await expect.poll(() => existsSync(join(home, 'begun'))).toBe(true);
  const [shell = 0] = childrenOf(initOf(new RunDir(bench.agentDir(start), 1)) ?? 0);
  signal(shell, 'SIGCONT');
  signal(shell, 'SIGSTOP');
  writeFileSync(join(home, 'go'), '');
  expect(await found(bench, order)).toMatchObject({ passed: true, clean: false });
});

it('[GATE10] what a thread of a process has started is found, too', async () => {
  const code = `require('node:child_process').spawn('sleep', ['600']).once('spawn', function () {
    require('node:worker_threads').parentPort.postMessage(this.pid); })`;
  const worker = new Worker(code, { eval: true });
  const [pid] = (await once(worker, 'message')) as [number];
  later(() => signal(pid, 'SIGKILL'));
  expect(childrenOf(process.pid)).toContain(pid);
  const own = spawn('sleep', ['600']);
  later(() => own.kill());
  await once(own, 'spawn');
  expect(childrenOf(process.pid)).toContain(own.pid);
  await worker.terminate();
});

const USER = 'git config user.name a; git config user.email a@a;';
const MODULE = `git init -q sub; cd sub; ${USER} echo bad > g; git add g; git commit -q -m g; cd ..
  git add sub; git commit -q -m sub;`;

/** After a commit of `bad` in `f`. */
const TRICKS: [string, string][] = [
  ['assume-unchanged', 'echo good > f; git update-index --assume-unchanged f'],
  ['skip-worktree', 'echo good > f; git update-index --skip-worktree f'],
  [
    'a time that is as before',
    `touch -d 2020-01-01 f; git status; git config core.trustctime false; git config core.checkStat minimal
     echo gud > f; touch -d 2020-01-01 f`,
  ],
  ['the mode of files', 'git config core.fileMode false; chmod +x f'],
  [
    'a filter',
    `git config filter.x.clean 'echo bad'; echo 'f filter=x' > .git/info/attributes; echo good > f; git add f`,
  ],
  [
    'a filter that is committed',
    `echo 'f filter=x' > .gitattributes; git add .; git commit -q -m x; git config filter.x.clean 'echo bad'; echo good > f; git add f`,
  ],
  [
    'a keyword',
    `echo 'f ident' > .gitattributes; echo '$Id$' > f; git add .; git commit -q -m x; echo '$Id: good $' > f; git add f`,
  ],
  ['files that are excluded', 'echo proof > .git/info/exclude; touch proof'],
  [
    'files that are excluded everywhere',
    'mkdir -p ~/.config/git; echo proof > ~/.config/git/ignore; touch proof',
  ],
  ['another workspace', 'cp -r . ~/w; git config core.worktree ~/w; echo good > f'],
  ['files that are left out', 'git sparse-checkout set --no-cone /a; git status'],
  [
    'another commit in its place',
    'echo good > f; git commit -q -a -m x; new=$(git rev-parse HEAD); git reset -q --soft HEAD~; git replace HEAD $new; git reset -q',
  ],
  ['a repository within', `${MODULE} cd sub; echo good > g; git update-index --assume-unchanged g`],
  [
    'a repository within that is not looked at',
    `${MODULE} git config submodule.sub.ignore all; git config diff.ignoreSubmodules all; echo x > sub/new`,
  ],
  ['no repository any more', `${MODULE} rm -rf sub/.git; echo good > sub/g`],
];

describe('what was tested', () => {
  it.each(TRICKS)('[GATE11] is not the commit where %s hides a change', async (_name, trick) => {
    const bench = await Bench.open();
    const start = shellOrder(`${commit('f', 'bad')} ${trick}`, {
      gitRepoUrl: repositoryOf({ a: 'a\n' }),
    });
    expect((await ended(bench, start)).exit).toMatchObject({ code: 0 });
    expect(await carriedOut(bench, gateOf(start, 'true'))).toMatchObject({
      type: 'gate',
      passed: true,
      clean: false,
    });
  });

  it('[GATE11] is not the commit where a command changes what the commit has', async () => {
    const bench = await Bench.open();
    const start = shellOrder(commit('f'), { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
    await ended(bench, start);
    expect(await carriedOut(bench, gateOf(start, 'echo more >> f'))).toMatchObject({
      passed: true,
      clean: false,
    });
  });

  it('[GATE11] is the commit, whatever is ignored, is filepath’s own or has line endings of its own', async () => {
    const bench = await Bench.open();
    const files = {
      '.gitignore': 'node_modules/\n',
      '.gitattributes': '*.bat text eol=crlf\n',
      'a.bat': 'a\n',
    };
    const script = `${commit('f')} ${MODULE}
      mkdir -p node_modules/x .cache; touch node_modules/x/y .env; echo '*' > .cache/.gitignore
      touch .cache/z; ln -s f link; git add link; git commit -q -m link; grep -c "$(printf '\\r')" a.bat`;
    const start = shellOrder(script, { gitRepoUrl: repositoryOf(files) });
    expect((await ended(bench, start)).texts.at(-1)).toBe('1');
    expect(await carriedOut(bench, gateOf(start, 'touch new'))).toMatchObject({
      passed: true,
      clean: true,
    });
  });

  it('[GATE11] is nothing where the objects of the commit are others than it names', async () => {
    const bench = await Bench.open();
    const script = `mkdir d; ${commit('d/f', 'bad')}
      echo good > d/f; git add d; old=$(git rev-parse HEAD:d); new=$(git write-tree --prefix=d/)
      at() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }
      chmod u+w $(at $old); cat $(at $new) > $(at $old)`;
    const start = shellOrder(script, { gitRepoUrl: repositoryOf({ a: 'a\n' }) });
    expect((await ended(bench, start)).exit).toMatchObject({ code: 0 });
    expect(await carriedOut(bench, gateOf(start, 'true'))).toMatchObject({ type: 'job_failed' });
  });
});
