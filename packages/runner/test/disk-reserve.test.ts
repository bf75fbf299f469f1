import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { FreeSpace } from '../src/disk/free-space.ts';
import type { ThreadRecord } from './fake-worker.ts';
import { carriedOut, jobOrder } from './jobs.ts';
import { Bench, message, runnerProcess, shellOrder } from './setup.ts';
import { type SmallDisk, smallDisk } from './small-disk.ts';

const MB = 2 ** 20;
const RESERVE = { ...process.env, FILEPATH_DISK_RESERVE: '16M' };
const ECHO = 'echo up; while read -r line; do echo "heard"; done';

const last = (thread: ThreadRecord): string => thread.observed.at(-1)?.type ?? '';

async function up(disk: SmallDisk): Promise<[Bench, StartOrder, ThreadRecord]> {
  const bench = await Bench.open({ home: disk.path, env: RESERVE });
  const order = shellOrder(ECHO);
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('up', () => thread.texts.includes('up'));
  return [bench, order, thread];
}

describe('below the reserve of the disk', () => {
  it('[RUN43] agents are held with how much is left, starts are refused, and both go on after', async () => {
    const disk = smallDisk(64);
    const [bench, order, thread] = await up(disk);
    disk.fill(8 * MB);
    await bench.worker.until('held', () => last(thread) === 'held');
    expect(thread.observed.at(-1)).toMatchObject({
      reason: expect.stringMatching(/nearly full: [78](\.\d)? MiB are left, 16 MiB are kept free/),
    });
    bench.worker.input(order.thread, message('one'));
    await bench.worker.until('written', () => thread.written.includes(1));
    const other = shellOrder('echo never');
    bench.worker.order(other);
    const refused = bench.worker.thread(other.thread);
    await bench.worker.until('refused', () => refused.refused !== undefined);
    expect(refused.refused).toMatch(/nearly full: .* Free some, then send the message again$/);
    expect(thread.texts).toEqual(['up']);
    disk.empty();
    await bench.worker.until('released', () => last(thread) === 'released');
    await bench.worker.until('an answer', () => thread.texts.includes('heard'));
  });

  it('[RUN43] a runner that comes back lets an agent go on that the one before had held', async () => {
    const disk = smallDisk(64);
    const bench = await Bench.open({ home: disk.path, idle: true });
    const first = runnerProcess(bench);
    const order = shellOrder(ECHO);
    bench.worker.order(order);
    const thread = bench.worker.thread(order.thread);
    await bench.worker.until('up', () => thread.texts.includes('up'));
    disk.fill(MB);
    await bench.worker.until('held', () => last(thread) === 'held');
    await first.kill();
    disk.empty();
    await bench.start({ env: RESERVE });
    await bench.worker.until('released', () => last(thread) === 'released');
    bench.worker.input(order.thread, message('one'));
    await bench.worker.until('an answer', () => thread.texts.includes('heard'));
  });

  it('[RUN43] a snapshot and a push are refused with how much is left', async () => {
    const disk = smallDisk(64);
    const [bench, order, thread] = await up(disk);
    disk.fill(8 * MB);
    await bench.worker.until('held', () => last(thread) === 'held');
    const push = { type: 'push', repository: '/nowhere', force: false } as const;
    for (const work of [{ type: 'snapshot' }, push] as const) {
      expect(await carriedOut(bench, jobOrder(order, work))).toMatchObject({
        type: 'job_failed',
        reason: expect.stringMatching(/nearly full: .* Free some, then ask again$/),
      });
    }
    disk.empty();
    await bench.worker.until('released', () => last(thread) === 'released');
    const result = await carriedOut(bench, jobOrder(order, push));
    expect(JSON.stringify(result)).toContain('there is nothing at this path');
  });

  it('[RUN43] an agent that is held can be stopped', async () => {
    const disk = smallDisk(64);
    const [bench, order, thread] = await up(disk);
    disk.fill(8 * MB);
    await bench.worker.until('held', () => last(thread) === 'held');
    bench.worker.order({ kind: 'remove', thread: order.thread, slug: order.slug });
    await bench.worker.until('taken', () => bench.worker.orders[1]?.taken === 1);
  });

  it('[RUN43] room is that of agents, in steps that do not flap; a disk that is gone says nothing', async () => {
    const disk = smallDisk(64);
    const space = new FreeSpace(disk.path, 16 * MB);
    await space.look();
    expect([space.low, space.free]).toEqual([null, expect.closeTo(64 * MB, -6)]);
    disk.fill(15 * MB);
    await space.look();
    expect(space.low).toMatch(/are kept free/);
    disk.empty();
    disk.fill(18 * MB);
    await space.look();
    expect(space.low).toMatch(/are kept free/);
    disk.empty();
    await space.look();
    expect(space.low).toBeNull();
    const usual = new FreeSpace(disk.path, null);
    disk.fill(4 * MB);
    await usual.look();
    expect(usual.low).toBeNull();
    disk.fill(2 * MB);
    await usual.look();
    expect(usual.low).toMatch(/3\.2 MiB are kept free/);
    const gone = new FreeSpace(join(disk.path, 'gone'), null);
    await gone.look();
    expect(gone.low).toBeNull();
  });
});
