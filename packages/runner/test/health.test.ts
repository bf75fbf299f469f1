import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody, StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ThreadRecord } from './fake-worker.ts';
import { ended, repositoryOf } from './repositories.ts';
import { Bench, runnerProcess, shellOrder, tempDir } from './setup.ts';

type Health = Extract<RunnerBody, { type: 'health' }>;

const COMMIT = 'git -c user.name=a -c user.email=a@a commit -q';

const healthOf = (thread: ThreadRecord): Health[] =>
  thread.observed.filter((body) => body.type === 'health');

const typesOf = (thread: ThreadRecord): string[] => thread.observed.map((body) => body.type);

/** The next start of the same agent, by another script. */
async function again(
  bench: Bench,
  order: StartOrder,
  script: string,
  more: Partial<StartOrder> = {},
): Promise<{ order: StartOrder; thread: ThreadRecord }> {
  await bench.logged(order, 'over');
  bench.logs.length = 0;
  const thread = bench.worker.thread(order.thread);
  const epoch = thread.epoch + 1;
  Object.assign(thread, { epoch, offset: 0, lines: [], observed: [], inputs: [] });
  const next = { ...order, epoch, config: { command: ['sh', '-c', script] }, ...more };
  await ended(bench, next);
  return { order: next, thread };
}

/** An agent whose first start ran this script in a clone of these files. */
async function begun(bench: Bench, files: Record<string, string>, script: string) {
  const order = shellOrder(script, { gitRepoUrl: repositoryOf(files) });
  const thread = await ended(bench, order);
  return { order, thread };
}

const declared = (health: unknown): string => JSON.stringify({ health });

describe('before a start', () => {
  it('[HLT1] work that an earlier process left is a commit of its own ref, and stays as it is', async () => {
    const bench = await Bench.open();
    const { order, thread: first } = await begun(
      bench,
      { file: 'one\n', '.gitignore': 'ignored\n' },
      'echo two > file; echo x > untracked; echo y > ignored; echo z > staged; git add staged; git status --short',
    );
    const left = first.texts;
    expect(healthOf(first), 'a fresh clone has nothing to rescue').toEqual([]);
    const show = `git status --short; git show --format='%an: %s' --name-only refs/filepath/rescue/2; git rev-parse refs/filepath/rescue/2 refs/filepath/rescue/2^ HEAD`;
    const { thread } = await again(bench, order, show);
    const [health, ...more] = healthOf(thread);
    expect(more).toEqual([]);
    const { rescued } = health ?? {};
    expect(rescued).toMatchObject({ ref: 'refs/filepath/rescue/2', files: 3 });
    const [hash, under, head] = thread.texts.slice(-3);
    expect([hash, under]).toEqual([rescued?.hash, head]);
    expect(thread.texts.slice(0, -3)).toEqual([
      ...left,
      `filepath: Uncommitted work of ${order.slug}, found before start 2`,
      'file',
      'staged',
      'untracked',
    ]);
    expect(typesOf(thread)).toEqual(['health', 'started', 'exit']);
  });

  it('[HLT1] the same work is rescued once, and more of it again', async () => {
    const bench = await Bench.open();
    const begin = await begun(bench, { file: 'one\n' }, 'echo two > file');
    const second = await again(bench, begin.order, 'true');
    expect(healthOf(second.thread)).toHaveLength(1);
    const third = await again(bench, second.order, 'echo three > other');
    expect(healthOf(third.thread), 'nothing new').toEqual([]);
    const fourth = await again(bench, third.order, `git add .; ${COMMIT} -m all`);
    expect(healthOf(fourth.thread)[0]?.rescued).toMatchObject({ files: 2 });
    const fifth = await again(
      bench,
      fourth.order,
      'git for-each-ref --format="%(refname)" refs/filepath',
    );
    expect(healthOf(fifth.thread), 'all is committed').toEqual([]);
    expect(fifth.thread.texts).toEqual(['refs/filepath/rescue/2', 'refs/filepath/rescue/4']);
  });

  it('[HLT1] thousands of new files are no work to rescue, and what was tracked is', async () => {
    const bench = await Bench.open();
    const left = 'echo two > file; mkdir cache; cd cache; seq 10001 | xargs touch';
    const begin = await begun(bench, { file: 'one\n' }, left);
    const show = 'git show --format= --name-only refs/filepath/rescue/2';
    const { thread } = await again(bench, begin.order, show);
    expect(healthOf(thread)).toMatchObject([
      { rescued: { files: 1 }, note: expect.stringContaining('too many') },
    ]);
    expect(thread.texts).toEqual(['file']);
  });

  it('[HLT2] what filepath.json declares is run like the agent, and each result is told', async () => {
    const bench = await Bench.open();
    const checks = {
      good: 'test "$HOME" = /home/agent && test -z "$FILEPATH_API_KEY" && test "$WORD" = abc && test "$(pwd)" = /workspace',
      bad: 'echo this is wrong; exit 3',
      slow: 'echo begun; sleep 1000',
    };
    const filepath = declared({ checks, timeoutSeconds: 5 });
    const order = shellOrder('echo ran', {
      gitRepoUrl: repositoryOf({ 'filepath.json': filepath }),
      config: { command: ['sh', '-c', 'echo ran'], envVars: { WORD: 'abc' } },
    });
    const thread = await ended(bench, order);
    const [checking, done] = healthOf(thread);
    expect(checking).toMatchObject({ state: 'checking', note: 'good, bad, slow' });
    expect(done).toMatchObject({
      state: 'done',
      blocked: false,
      checks: [
        { name: 'good', command: checks.good, outcome: 'passed', tail: '' },
        { name: 'bad', outcome: 'failed', tail: 'this is wrong' },
        { name: 'slow', outcome: 'timeout', tail: 'begun' },
      ],
    });
    expect(thread.texts, 'a failed check informs').toEqual(['ran']);
    expect(typesOf(thread).slice(-4)).toEqual(['health', 'health', 'started', 'exit']);
  });

  it('[HLT3] a failed check keeps the agent from starting where the repository says so', async () => {
    const bench = await Bench.open();
    const filepath = declared({ checks: { types: 'echo 2 errors; exit 1' }, blocking: true });
    const { thread } = await begun(bench, { 'filepath.json': filepath }, 'echo ran');
    expect(healthOf(thread).at(-1)).toMatchObject({ state: 'done', blocked: true });
    expect(thread.refused).toMatch(/^the check types failed, .*health\.blocking.*2 errors$/);
    expect(thread.texts).toEqual([]);
  });

  it('[HLT2] else the scripts of package.json are, by the manager that its lock file names', async () => {
    const bench = await Bench.open();
    const files = { 'package.json': declaredPackage(), 'pnpm-lock.yaml': '' };
    const begin = await begun(bench, files, stub('pnpm'));
    const checks = healthOf(begin.thread).at(-1)?.checks;
    const missing = { outcome: 'skipped', tail: 'dependencies are not installed' };
    expect(checks).toMatchObject([
      { name: 'check-types', command: 'pnpm run check-types', ...missing },
      { name: 'build', command: 'pnpm run build', ...missing },
    ]);
    const { thread } = await again(bench, begin.order, 'true');
    expect(healthOf(thread).at(-1)?.checks).toMatchObject([
      { name: 'check-types', outcome: 'passed' },
      { name: 'build', outcome: 'failed', tail: 'pnpm run build' },
    ]);
  });

  it('[HLT2] else the targets of a Makefile are', async () => {
    const bench = await Bench.open();
    const Makefile = 'build := x\nbuild: typecheck\n\tcc x\ntypecheck:\n\ttrue\n';
    const begin = await begun(bench, { Makefile }, stub('make'));
    const { thread } = await again(bench, begin.order, 'true');
    expect(healthOf(thread).at(-1)?.checks).toMatchObject([
      { name: 'typecheck', command: 'make typecheck', outcome: 'failed', tail: 'make typecheck' },
      { name: 'build', outcome: 'failed', tail: 'make build' },
    ]);
  });

  it('[HLT2] a program that is not here has not failed', async () => {
    const bench = await Bench.open();
    const files = { 'package.json': declaredPackage(), 'bun.lock': '', 'node_modules/x': '' };
    const { thread } = await begun(bench, files, 'true');
    expect(healthOf(thread).at(-1)?.checks[0]).toMatchObject({
      outcome: 'skipped',
      tail: expect.stringMatching(/^its program is not here: .*bun: not found/),
    });
  });

  it('[HLT4] nothing is told where there is nothing to tell', async () => {
    const bench = await Bench.open();
    const files = { file: 'one\n', 'package.json': '{"scripts":{"test":"x"}}', Makefile: 'all:\n' };
    const begin = await begun(bench, files, 'echo done');
    expect(healthOf(begin.thread)).toEqual([]);
    expect(healthOf((await again(bench, begin.order, 'true')).thread)).toEqual([]);
    const folder = shellOrder('echo left > behind');
    await ended(bench, folder);
    expect(healthOf((await again(bench, folder, 'true')).thread), 'no repository').toEqual([]);
  });

  it('[HLT5] a declaration that is not understood is told, and a repository that git cannot read', async () => {
    const bench = await Bench.open();
    const begin = await begun(
      bench,
      { 'filepath.json': '{"health":{"checks":{"a":1}}}' },
      'rm -rf .git/objects/* .git/refs; echo x > .git/HEAD',
    );
    expect(healthOf(begin.thread)[0]?.note).toMatch(
      /^filepath.json is not understood: health.checks.a: /,
    );
    const { thread } = await again(bench, begin.order, 'echo ran');
    expect(healthOf(thread)[0]?.note).toMatch(/^uncommitted work could not be looked for: .*git/s);
    expect(thread.texts).toEqual(['ran']);
  });

  it('[HLT6] secrets in what a check prints are taken out', async () => {
    const bench = await Bench.open();
    const filepath = declared({ checks: { leak: 'echo "key $TOKEN_VALUE"; exit 1' } });
    const order = shellOrder('true', {
      gitRepoUrl: repositoryOf({ 'filepath.json': filepath }),
      config: { command: ['true'], envVars: { TOKEN_VALUE: 'a-secret-of-the-agent' } },
    });
    const thread = await ended(bench, order);
    expect(healthOf(thread).at(-1)?.checks[0]?.tail).toBe('key [redacted]');
  });

  it('[HLT6] a hostile workspace reaches nothing of the host, and what it prints is bounded', async () => {
    const bench = await Bench.open();
    const canary = join(tempDir(), 'canary');
    const checks = { flood: `touch ${canary}; yes abcdefgh | head -c 5000000; exit 1` };
    const begin = await begun(
      bench,
      { 'filepath.json': declared({ checks }) },
      `git config core.fsmonitor "touch ${canary}"; git config filter.e.clean "touch ${canary}; cat"
       echo '* filter=e' > .gitattributes
       printf '#!/bin/sh\\ntouch ${canary}' > .git/hooks; rm -f package.json; ln -s /etc/passwd package.json
       ln -s /etc Makefile`,
    );
    const { thread } = await again(bench, begin.order, 'echo ran');
    const health = healthOf(thread).at(-1);
    expect(health?.checks[0]?.tail.length).toBeLessThan(4000);
    expect(health?.rescued).toBeDefined();
    expect(thread.texts).toEqual(['ran']);
    expect(existsSync(canary)).toBe(false);
  });

  it('[HLT7] a stop ends the checks, and no agent starts', async () => {
    const bench = await Bench.open();
    const filepath = declared({ checks: { slow: 'sleep 1000' }, timeoutSeconds: 600 });
    const order = shellOrder('echo ran', {
      gitRepoUrl: repositoryOf({ 'filepath.json': filepath }),
    });
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('checking', () => healthOf(thread).length > 0);
    const { thread: id } = order;
    bench.worker.order({ kind: 'stop', thread: id, epoch: 1, graceMs: 0, inputs: [] });
    await bench.worker.until('refused', () => thread.refused !== undefined);
    expect([thread.refused, thread.texts]).toEqual(['stopped before it started', []]);
  });

  it('[HLT7] a runner that was killed while it checked begins again, and tells the result once', async () => {
    const bench = await Bench.open({ idle: true });
    const checks = {
      first: 'test -e /home/agent/second || { touch /home/agent/second; sleep 1000; }',
    };
    const order = shellOrder('echo ran', {
      gitRepoUrl: repositoryOf({ 'filepath.json': declared({ checks }) }),
    });
    const runner = runnerProcess(bench);
    await bench.worker.until('connected', () => bench.worker.connected);
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    const mark = join(bench.agentDir(order), 'home', 'second');
    await expect.poll(() => existsSync(mark)).toBe(true);
    await runner.kill();
    await bench.start();
    await bench.worker.until('end', () => thread.exit !== undefined);
    expect(healthOf(thread).map(({ state }) => state)).toEqual(['checking', 'done']);
    expect(thread.texts).toEqual(['ran']);
  });

  it.each([
    ['when the worker has stored the result', true],
    ['without an answer after a while', false],
  ])(
    '[HLT8] the agent starts %s, and reads what comes of it after its task',
    async (_, answers) => {
      const bench = await Bench.open();
      const filepath = declared({ checks: { ok: 'true' } });
      const task = { id: 1, line: '{"type":"message","from":"user","content":"task"}' };
      const order = shellOrder('read -r a; read -r b; echo "$a"; echo "$b"', {
        gitRepoUrl: repositoryOf({ 'filepath.json': filepath }),
        inputs: [task],
      });
      const thread = bench.worker.thread(order.thread);
      thread.holdAcks = true;
      bench.worker.order(order);
      await bench.worker.until('told', () => healthOf(thread).at(-1)?.state === 'done');
      expect(existsSync(bench.runFile(order, 'pid')), 'not started before the answer').toBe(false);
      bench.worker.input(order.thread, '{"type":"message","from":"system","content":"health"}');
      if (answers) {
        const ack = { t: 'ack', offset: 0, observed: thread.observed.length };
        thread.socket?.send(JSON.stringify(ack));
      }
      await bench.worker.until('started', () => typesOf(thread).includes('started'));
      thread.holdAcks = false;
      await bench.worker.until('end', () => thread.lines.length === 2);
      const Message = z.object({ content: z.string() });
      const read = thread.texts.map((text) => Message.parse(JSON.parse(text)).content);
      expect(read).toEqual(['task', 'health']);
    },
  );

  it('[HLT2] limits of the agent hold for checks', async () => {
    const bench = await Bench.open({
      env: { ...process.env, FILEPATH_AGENT_MEMORY: '64M', FILEPATH_AGENT_PIDS: '32' },
    });
    const hog = 'head -c 300M /dev/zero | tail -c 200M > /dev/null';
    const { thread } = await begun(
      bench,
      { 'filepath.json': declared({ checks: { hog } }) },
      'true',
    );
    expect(healthOf(thread).at(-1)?.checks[0]).toMatchObject({ outcome: 'failed' });
    expect(thread.exit?.code).toBe(0);
  });
});

/** Makes a program that says how it was called, and fails for all but one script. The workspace gets what it needs. */
const stub = (name: string): string => `
  mkdir -p /home/agent/.local/bin node_modules
  printf '#!/bin/sh\\necho "${name} $*"; [ "$2" = check-types ]\\n' > /home/agent/.local/bin/${name}
  chmod +x /home/agent/.local/bin/${name}`;

function declaredPackage(): string {
  return JSON.stringify({ scripts: { 'check-types': 'tsc', build: 'make', other: 'x' } });
}
