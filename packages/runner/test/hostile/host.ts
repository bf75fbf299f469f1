import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import { expect } from 'vitest';
import type { ThreadRecord } from '../fake-worker.ts';
import { ended } from '../repositories.ts';
import { Bench, tempDir } from '../setup.ts';
import type { HostileExecutor } from './executors.ts';

/**
 * Files of the host that an agent must not reach: open for every user, so that nothing but the executor keeps an
 * agent from changing them.
 */
export function hostCanary(): { dir: string; tree(): string[] } {
  const dir = join(tempDir(), 'host');
  mkdirSync(join(dir, 'inner'), { recursive: true });
  writeFileSync(join(dir, 'file'), 'of the host\n');
  writeFileSync(join(dir, 'inner/HEAD'), 'of the host\n');
  symlinkSync('file', join(dir, 'link'));
  for (const place of [join(dir, '..'), dir, join(dir, 'inner')]) chmodSync(place, 0o777);
  for (const file of ['file', 'inner/HEAD']) chmodSync(join(dir, file), 0o666);
  return { dir, tree: () => treeOf(dir) };
}

/** A file, or every file below a directory: kind, mode, owner, time of change and content. */
export function treeOf(dir: string): string[] {
  const below = lstatSync(dir).isDirectory()
    ? readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
    : [];
  return [dir, ...below].map((name) => {
    const path = name === dir ? dir : join(dir, name);
    const stat = lstatSync(path);
    const content = stat.isSymbolicLink()
      ? readlinkSync(path)
      : stat.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : '';
    return [name, stat.mode.toString(8), stat.uid, stat.gid, stat.ctimeMs, content].join(' ');
  });
}

/** Resolves when the runner has nothing left to tell of the order's epoch. */
export function isOver(bench: Bench, order: StartOrder): Promise<void> {
  return expect.poll(() => existsSync(bench.runFile(order, 'over')), { interval: 10 }).toBe(true);
}

/** Has the agent's home put aside. */
export async function remove(bench: Bench, order: StartOrder): Promise<void> {
  const number = bench.worker.order({ kind: 'remove', thread: order.thread, slug: order.slug });
  await bench.worker.until('taken', () => (bench.worker.orders[number - 1]?.taken ?? 0) > 0);
  expect(existsSync(bench.agentDir(order))).toBe(false);
}

/** Starts the same agent again with another order, and waits for its end. */
export async function nextEpoch(bench: Bench, order: StartOrder): Promise<ThreadRecord> {
  const thread = bench.worker.thread(order.thread);
  await isOver(bench, { ...order, epoch: order.epoch - 1 });
  Object.assign(thread, {
    epoch: order.epoch,
    offset: 0,
    lines: [],
    observed: [],
    inputs: [],
  });
  return ended(bench, order);
}

/** A worker, and a runner that runs agents this way. */
export async function open(executor: HostileExecutor): Promise<Bench> {
  const bench = await Bench.open({ idle: true });
  executor.start(bench);
  return bench;
}
