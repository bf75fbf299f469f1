import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { tempDir } from './temp.ts';

/** A file system of its own, of a few megabytes, that can be filled and emptied. */
export type SmallDisk = {
  readonly path: string;
  /** Until not a byte more can be written, or this many are left. */
  fill(left?: number): void;
  empty(): void;
  [Symbol.dispose](): void;
};

export function smallDisk(megabytes: number): SmallDisk {
  const dir = tempDir('filepath-disk');
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'none'];
  execFileSync('mount', [...options, dir.path]);
  const filler = join(dir.path, 'filler');
  return {
    path: dir.path,
    fill: (left = 0) => fill(filler, dir.path, left),
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]: () => {
      execFileSync('umount', ['--lazy', dir.path]);
      dir.remove();
    },
  };
}

function fill(filler: string, disk: string, left: number): void {
  const fd = openSync(filler, 'a');
  try {
    for (let size = 2 ** 20; size >= 1;) {
      const { bavail, bsize } = statfsSync(disk);
      const fits = left === 0 || bavail * bsize - size >= left;
      if (!fits && size <= bsize) return;
      if (!fits || !tryWrite(fd, size)) size = Math.floor(size / 2);
    }
  } finally {
    closeSync(fd);
  }
}

function tryWrite(fd: number, size: number): boolean {
  try {
    writeSync(fd, Buffer.alloc(size));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}
