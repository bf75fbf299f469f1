import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartOrder } from '@filepath/protocol';
import type { ThreadRecord } from '../fake-worker.ts';
import { ended } from '../repositories.ts';
import { type Bench, tempDir } from '../setup.ts';

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

/** Every file below a directory: kind, mode, owner, time of change and content. */
export function treeOf(dir: string): string[] {
  return [dir, ...readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()].map((name) => {
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

/** Starts the same agent again with another order, and waits for its end. */
export async function nextEpoch(bench: Bench, order: StartOrder): Promise<ThreadRecord> {
  const thread = bench.worker.thread(order.thread);
  await bench.logged({ ...order, epoch: order.epoch - 1 }, 'over');
  bench.logs.length = 0;
  Object.assign(thread, {
    epoch: order.epoch,
    offset: 0,
    lines: [],
    observed: [],
    inputs: [],
  });
  return ended(bench, order);
}
