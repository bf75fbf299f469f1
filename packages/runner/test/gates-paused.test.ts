import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobOrder, StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { JobFile } from '../src/jobs/job-file.ts';
import { commit, jobOrder, pushed, resultOf } from './jobs.ts';
import { ended, repositoryOf } from './repositories.ts';
import { Bench, shellOrder } from './setup.ts';

/** Says how often it was begun, and ends when it may. */
const RUN = 'echo x >> ~/tries; until [ -e ~/go ]; do sleep 0.01; done';

async function freeze(
  bench: Bench,
  start: StartOrder,
  frozen: boolean,
  seq: number,
): Promise<void> {
  const { thread, epoch } = start;
  const number = bench.worker.order({ kind: 'freeze', thread, epoch, seq, frozen });
  await bench.worker.until('taken', () => bench.worker.orders[number - 1]?.taken === 1);
}

const tries = (bench: Bench, start: StartOrder): number => {
  const path = join(bench.agentDir(start), 'home', 'tries');
  return existsSync(path) ? readFileSync(path, 'utf8').split('x').length - 1 : 0;
};

/** Processes of the gate of this agent. */
const testing = (mark: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });

/** A gate at work on what this agent did. */
async function atWork(bench: Bench, start: StartOrder): Promise<{ order: JobOrder; mark: string }> {
  const mark = `mark-${start.thread}`;
  const gates = { commands: [{ run: `: ${mark}; ${RUN}` }] };
  const order = jobOrder(start, { type: 'gate', epoch: 1, gates });
  bench.worker.order(order);
  await expect.poll(() => tries(bench, start)).toBe(1);
  return { order, mark };
}

const KINDS: [string, string][] = [
  ['lives', 'sleep 600'],
  ['has ended', 'true'],
];

describe.each(KINDS)('a pause of an agent that %s', (_kind, end) => {
  async function paused() {
    const bench = await Bench.open();
    const gitRepoUrl = repositoryOf({ a: 'a\n' });
    const start = shellOrder(`${commit('f')} ${end}`, { gitRepoUrl });
    if (end === 'true') await ended(bench, start);
    else bench.worker.order(start);
    const thread = bench.worker.thread(start.thread);
    await bench.worker.until('a word', () => thread.texts.length > 0);
    const { order, mark } = await atWork(bench, start);
    await freeze(bench, start, true, 5);
    await expect.poll(() => testing(mark)).toEqual([]);
    return { bench, start, order };
  }
  const parked = (bench: Bench, start: StartOrder, { id }: JobOrder): boolean => {
    const content = new JobFile(bench.agentDir(start), id).read();
    return content?.state === 'open' && content.tries === 0;
  };

  it('[GATE13] ends the commands of its gate, which are run again from the first when it is over', async () => {
    const { bench, start, order } = await paused();
    // It keeps no other work waiting.
    expect(await pushed(bench, start)).toMatchObject({ type: 'pushed' });
    expect(tries(bench, start)).toBe(1);
    writeFileSync(join(bench.agentDir(start), 'home', 'go'), '');
    await freeze(bench, start, false, 6);
    expect(await resultOf(bench, order)).toMatchObject({ passed: true, clean: true });
    expect(tries(bench, start)).toBe(2);
  });

  it('[GATE13] [GATE6] is over for a gate that is called off', async () => {
    const { bench, start, order } = await paused();
    await expect.poll(() => parked(bench, start, order)).toBe(true);
    const { thread } = start;
    bench.worker.order({ kind: 'stop', thread, epoch: 1, graceMs: 0, inputs: [] });
    expect(await resultOf(bench, order)).toMatchObject({
      type: 'job_failed',
      reason: expect.stringMatching(/^called off/),
    });
  });

  it('[GATE13] [GATE7] holds for the next runner', async () => {
    const { bench, start, order } = await paused();
    await expect.poll(() => parked(bench, start, order)).toBe(true);
    await bench.stop();
    await bench.start();
    expect(await pushed(bench, start)).toMatchObject({ type: 'pushed' });
    expect(tries(bench, start)).toBe(1);
    writeFileSync(join(bench.agentDir(start), 'home', 'go'), '');
    await freeze(bench, start, false, 6);
    expect(await resultOf(bench, order)).toMatchObject({ passed: true });
  });
});
