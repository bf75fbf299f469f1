import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newThreadId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { commit, jobOrder, pushed, resultOf } from './jobs.ts';
import { ended, git, repositoryOf } from './repositories.ts';
import { Bench, processesOf, runnerProcess, shellOrder } from './setup.ts';

const bareRemote = (): string => {
  const remote = `${repositoryOf({ a: 'a\n' })}.git`;
  git('/', 'clone', '-q', '--bare', remote.replace(/\.git$/, ''), remote);
  return remote;
};

describe('a job', () => {
  it('[JOB1] is done beside an agent that runs, and its order leaves no credentials behind', async () => {
    const bench = await Bench.open();
    const start = shellOrder(`${commit('mine')} cat`, { gitRepoUrl: bareRemote() });
    bench.worker.order(start);
    const thread = bench.worker.thread(start.thread);
    await bench.worker.until('a commit', () => thread.lines.length === 1);
    const result = await pushed(bench, start);
    expect(result).toMatchObject({ type: 'pushed', commit: thread.texts[0] });
    expect(bench.shim(start).alive()).toBe(true);
    await bench.worker.until('taken', () => bench.worker.orders.every(({ taken }) => taken > 0));
    const file = join(bench.agentDir(start), 'jobs', `${result.job}.json`);
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('{"state":"stored"}');
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  });

  it('[JOB2] tells its result until it is stored, also by the next runner, and is not done again', async () => {
    const bench = await Bench.open();
    const gitRepoUrl = bareRemote();
    const start = shellOrder(commit('mine'), { gitRepoUrl });
    await ended(bench, start);
    bench.worker.storing = false;
    const first = await pushed(bench, start);
    bench.worker.dropControl();
    await bench.worker.until('told again', () => bench.worker.done.length >= 2);
    await bench.stop();
    git(gitRepoUrl, 'update-ref', '-d', `refs/heads/filepath/${start.slug}`);
    const before = bench.worker.done.length;
    bench.worker.storing = true;
    await bench.start();
    await bench.worker.until('told by another', () => bench.worker.done.length > before);
    expect(new Set(bench.worker.done.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(first)]),
    );
    // The order comes again, as it does when `taken` was lost.
    const order = bench.worker.orders.find(({ order: { kind } }) => kind === 'job');
    const taken = order?.taken ?? 0;
    bench.worker.sendOrder(order?.number ?? 0);
    await bench.worker.until('taken again', () => (order?.taken ?? 0) > taken);
    const refs = git(gitRepoUrl, 'for-each-ref', '--format=%(refname)');
    expect(refs).toBe('refs/heads/main');
  });

  it('[JOB3] that the end of its runner interrupted is repeated, and has failed after three times', async () => {
    const bench = await Bench.open();
    // git waits for a pipe in place of its configuration, and the job with it.
    const hang = 'rm .git/config; mkfifo .git/config';
    const start = shellOrder(`${commit('mine')} ${hang}`, { gitRepoUrl: bareRemote() });
    await ended(bench, start);
    await bench.stop();
    const repository = start.gitRepoUrl ?? '';
    const order = jobOrder(start, { type: 'push', repository, force: false });
    bench.worker.order(order);
    const file = join(bench.agentDir(start), 'jobs', `${order.id}.json`);
    const tries = (): unknown =>
      existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).tries : null;
    for (const wanted of [1, 2, 3]) {
      const child = runnerProcess(bench);
      await expect.poll(tries, { interval: 5 }).toBe(wanted);
      await child.kill();
    }
    expect(bench.worker.done).toEqual([]);
    await bench.start();
    const result = await resultOf(bench, order);
    expect(result).toMatchObject({ type: 'job_failed', work: 'push' });
    expect(JSON.stringify(result)).toContain('ended 3 times while it was at work');
    await expect.poll(() => processesOf(bench.home)).toEqual([]);
  });

  it('[JOB7] that hangs holds up no removal: it ends, and the home is put aside', async () => {
    const bench = await Bench.open();
    const hang = 'rm .git/config; mkfifo .git/config';
    const start = shellOrder(`${commit('mine')} ${hang}`, { gitRepoUrl: bareRemote() });
    await ended(bench, start);
    const order = jobOrder(start, { type: 'snapshot' });
    bench.worker.order(order);
    const file = join(bench.agentDir(start), 'jobs', `${order.id}.json`);
    await expect.poll(() => existsSync(file)).toBe(true);
    bench.worker.order({ kind: 'remove', thread: start.thread, slug: start.slug });
    await bench.worker.until('taken', () => bench.worker.orders.every(({ taken }) => taken > 0));
    const [archived = ''] = readdirSync(join(bench.home, 'archive'));
    const left = readdirSync(join(bench.home, 'archive', archived));
    expect(left).toContain('workspace');
    expect(left).not.toContain('jobs');
    expect(bench.worker.done).toEqual([]);
    await expect.poll(() => processesOf(bench.agentDir(start))).toEqual([]);
  });

  it.each([
    ['unasked, after its end', ''],
    ['for a push', 'cat'],
  ])('[GIT26] that waits for git %s holds up no other agent of the repository', async (_, more) => {
    const bench = await Bench.open();
    const hang = 'rm .git/config; mkfifo .git/config; echo hung;';
    const gitRepoUrl = bareRemote();
    const start = shellOrder(`${commit('mine')} ${hang} ${more}`, { gitRepoUrl });
    bench.worker.order(start);
    const isHung = (): boolean => bench.worker.thread(start.thread).texts.includes('hung');
    await bench.worker.until('hung', isHung);
    if (more !== '') {
      bench.worker.order(jobOrder(start, { type: 'push', repository: gitRepoUrl, force: false }));
    }
    const pack = join(bench.agentDir(start), 'jobs', 'bring', 'pack');
    await expect.poll(() => existsSync(pack)).toBe(true);
    const other = await ended(bench, shellOrder('echo up', { gitRepoUrl }));
    expect(other.texts).toEqual(['up']);
    expect(existsSync(pack)).toBe(true);
  });

  it('[JOB4] of an agent without a home fails, and is taken when that is stored', async () => {
    const bench = await Bench.open();
    const start = { ...shellOrder('true'), thread: newThreadId() };
    bench.worker.storing = false;
    const order = jobOrder(start, { type: 'snapshot' });
    const number = bench.worker.order(order);
    const result = await resultOf(bench, order);
    expect(result).toMatchObject({ type: 'job_failed', work: 'snapshot' });
    expect(bench.worker.orders[number - 1]?.taken).toBe(0);
    bench.worker.storing = true;
    bench.worker.dropControl();
    await bench.worker.until('taken', () => (bench.worker.orders[number - 1]?.taken ?? 0) > 0);
    expect(readdirSync(join(bench.home, 'agents'))).toEqual([]);
  });
});
