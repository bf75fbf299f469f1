import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newThreadId } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { Agents } from '../src/agents.ts';
import { Archive } from '../src/disk/archive.ts';
import { Home } from '../src/home.ts';
import type { RunnerLog } from '../src/index.ts';
import { Bench, shellOrder, tempDir } from './setup.ts';

const NOW = Date.UTC(2026, 5, 30);
const DAY = 24 * 3_600_000;
const MB = 2 ** 20;

/** A home that was put aside some days ago, with a file of some megabytes. */
function put(path: string, name: string, days: number, megabytes = 1): string {
  const time = new Date(NOW - days * DAY).toISOString().replace(/[-:.]/g, '');
  const dir = join(path, `${name}-${time}`);
  mkdirSync(join(dir, 'workspace'), { recursive: true });
  writeFileSync(join(dir, 'workspace', 'file'), Buffer.alloc(megabytes * MB, 1));
  return dir;
}

function archiveOf(path: string, archiveDays: number, archiveBytes: number) {
  const logs: RunnerLog[] = [];
  const settings = { archiveDays, archiveBytes };
  const keepUids = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const log = (event: RunnerLog): void => void logs.push(event);
  return { archive: new Archive({ path, settings, keepUids, log }), logs, keepUids };
}

const namesIn = (path: string): string[] =>
  readdirSync(path)
    .map((name) => name.split('-')[0] ?? '')
    .toSorted();

describe('the archive', () => {
  it('[RUN48] loses homes that are too old, and says so', async () => {
    const path = tempDir();
    put(path, 'old', 15);
    put(path, 'young', 13);
    const { archive, logs, keepUids } = archiveOf(path, 14, Number.POSITIVE_INFINITY);
    await archive.prune(NOW);
    expect(namesIn(path)).toEqual(['young']);
    expect(logs).toMatchObject([
      { event: 'pruned', message: expect.stringMatching(/^old-.*: it is older than 14 days$/) },
    ]);
    expect(keepUids).toHaveBeenCalled();
  });

  it('[RUN48] loses the oldest where there is too much, and what a kill left half deleted', async () => {
    const path = tempDir();
    for (const [name, days] of [
      ['a', 4],
      ['b', 3],
      ['c', 2],
      ['d', 1],
    ] as const) {
      put(path, name, days, 2);
    }
    const { archive } = archiveOf(path, Number.POSITIVE_INFINITY, 5 * MB);
    await archive.prune(NOW);
    expect(namesIn(path)).toEqual(['c', 'd']);
    mkdirSync(join(path, 'half-20200101T000000000Z'));
    await archiveOf(path, 14, 100 * MB).archive.prune(NOW);
    expect(namesIn(path)).toEqual(['c', 'd']);
  });

  it('[RUN48] follows no link, neither in a home nor in its place', async () => {
    const [path, outside] = [tempDir(), tempDir()];
    writeFileSync(join(outside, 'precious'), 'x');
    const old = put(path, 'old', 100);
    symlinkSync(outside, join(old, 'workspace', 'link'));
    symlinkSync(outside, join(path, 'link-20200101T000000000Z'));
    await archiveOf(path, 14, 0).archive.prune(NOW);
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('x');
    expect(existsSync(old)).toBe(false);
    expect(namesIn(path)).toEqual(['link']);
  });

  it('[RUN48] gives no uid of a pruned home to another agent', async () => {
    const home = new Home(tempDir());
    const agents = new Agents(home);
    const [first, second] = [
      agents.ensure(newThreadId(), 'first'),
      agents.ensure(newThreadId(), 'second'),
    ];
    await agents.archive(second);
    const { archive } = archiveOf(home.archive, 0, 0);
    await agents.keepUids();
    await archive.prune(Date.now() + DAY);
    expect(readdirSync(home.archive)).toEqual([]);
    const third = new Agents(home).ensure(newThreadId(), 'third');
    expect(third.place.uid).toBe((second.place.uid ?? 0) + 1);
    expect(third.place.uid).not.toBe(first.place.uid);
  });

  it('[RUN48] is pruned when a runner starts', async () => {
    const bench = await Bench.open({ idle: true });
    const { archive } = new Home(bench.home);
    put(archive, 'old', 400);
    await bench.start();
    await expect.poll(() => readdirSync(archive)).toEqual([]);
    const order = shellOrder('echo up');
    bench.worker.order(order);
    await bench.worker.until('exit', () => bench.worker.thread(order.thread).exit !== undefined);
    expect(readFileSync(join(bench.home, 'last-uid'), 'utf8')).toBe('20000\n');
  });
});
