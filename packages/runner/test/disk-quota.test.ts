import { linkSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { diskSettings } from '../src/disk/settings.ts';
import { diskUsage } from '../src/disk/usage.ts';
import type { ThreadRecord } from './fake-worker.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';
import { smallDisk } from './small-disk.ts';

const MB = 2 ** 20;
const SMALL = { ...process.env, FILEPATH_AGENT_DISK: '16M', FILEPATH_DISK_RESERVE: '0' };

/** Three files of 8 MB; then it waits. */
const HOARDS = 'for n in 1 2 3; do head -c 8000000 /dev/zero > $n; done; echo wrote; read line';

async function exitOf(bench: Bench, order: StartOrder): Promise<ThreadRecord> {
  bench.worker.order(order);
  const thread = bench.worker.thread(order.thread);
  await bench.worker.until('the end', () => (thread.exit ?? thread.refused) !== undefined);
  return thread;
}

/** The thread's next epoch, of which nothing is stored. */
function next(thread: ThreadRecord, order: StartOrder, epoch: number): StartOrder {
  Object.assign(thread, { epoch, offset: 0, lines: [], observed: [], inputs: [] });
  return { ...order, epoch, config: { command: ['sh', '-c', 'echo again'] } };
}

describe('an agent that takes more disk than it may', () => {
  it('[RUN47] is ended with the limit, refused with what to do, and runs again when there is less', async () => {
    const disk = smallDisk(128);
    const bench = await Bench.open({ home: disk.path, env: SMALL });
    const sibling = shellOrder('echo up; while read line; do echo "heard"; done');
    bench.worker.order(sibling);
    const order = shellOrder(HOARDS);
    const thread = await exitOf(bench, order);
    expect(thread.texts).toEqual(['wrote']);
    expect(thread.exit).toMatchObject({ reason: 'limit', detail: 'out of disk (limit 16 MiB)' });
    await bench.logged(order, 'over');

    await exitOf(bench, next(thread, order, 2));
    const workspace = join(bench.agentDir(order), 'workspace');
    expect(thread.refused).toMatch(
      /take 22\.9 MiB of disk, and 16 MiB are allowed: delete some in/,
    );
    expect(thread.refused).toContain(workspace);

    rmSync(join(workspace, '1'));
    await exitOf(bench, next(thread, order, 3));
    expect(thread.texts).toEqual(['again']);
    bench.worker.input(sibling.thread, 'one');
    const { thread: id } = sibling;
    await bench.worker.until('an answer', () => bench.worker.thread(id).texts.includes('heard'));
  });

  it.each([
    ['control groups', () => ({})],
    ['nothing', () => ({ cgroupRoot: tempDir() })],
  ])('[RUN47] cannot make one file larger than that, with %s', async (_by, more) => {
    const bench = await Bench.open({ env: SMALL, ...more() });
    const thread = await exitOf(bench, shellOrder('exec head -c 20000000 /dev/zero > big'));
    expect(thread.exit).toMatchObject({
      reason: 'limit',
      code: 153,
      detail: 'a file larger than 16 MiB, the limit of disk',
    });
  });
});

describe('usage of disk', () => {
  it('[RUN47] counts blocks, a file with two names once, and follows no link', async () => {
    const [dir, other] = [tempDir(), tempDir()];
    mkdirSync(join(dir, 'sub'));
    writeFileSync(join(dir, 'sub', 'a'), Buffer.alloc(3 * MB, 1));
    linkSync(join(dir, 'sub', 'a'), join(dir, 'b'));
    writeFileSync(join(dir, 'sparse'), '');
    truncateSync(join(dir, 'sparse'), 500 * MB);
    writeFileSync(join(other, 'c'), Buffer.alloc(5 * MB, 1));
    symlinkSync(other, join(dir, 'link'));
    const used = (await diskUsage([dir, join(dir, 'missing')])) ?? 0;
    expect(used).toBeGreaterThanOrEqual(3 * MB);
    expect(used).toBeLessThan(3.5 * MB);
    expect(await diskUsage([join(dir, 'missing')])).toBe(0);
  });

  it('[RUN47] has limits that can be set', () => {
    expect(diskSettings({})).toEqual({
      agent: 20 * 2 ** 30,
      reserve: null,
      archiveDays: 14,
      archiveBytes: 20 * 2 ** 30,
    });
    const off = Number.POSITIVE_INFINITY;
    const env = {
      FILEPATH_AGENT_DISK: 'off',
      FILEPATH_DISK_RESERVE: '0',
      FILEPATH_ARCHIVE_DAYS: 'off',
      FILEPATH_ARCHIVE_MAX: '2G',
    };
    expect(diskSettings(env)).toEqual({
      agent: off,
      reserve: 0,
      archiveDays: off,
      archiveBytes: 2 ** 31,
    });
    for (const name of Object.keys(env)) {
      expect(() => diskSettings({ [name]: 'much' })).toThrow(`${name} is "much": set it to `);
    }
  });
});
