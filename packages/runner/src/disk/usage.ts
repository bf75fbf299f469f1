import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

const LONGEST_MS = 5 * 60_000;
/** Whoever else wants the processor or the disk goes first. */
const GENTLY = ['-n', '19', 'ionice', '-t', '-c', '3'];

/**
 * Bytes that directories take on disk: blocks, not lengths; a file with several names once; no link is followed and no
 * other file system entered. Null where it could not be told in time. Parts that cannot be read do not count.
 */
export function diskUsage(paths: readonly string[], signal?: AbortSignal): Promise<number | null> {
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0) return Promise.resolve(0);
  return new Promise((resolve) => {
    const args = [...GENTLY, 'du', '-skxc', '--', ...there];
    const bounds = { timeout: LONGEST_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 } as const;
    execFile('nice', args, { ...bounds, ...(signal && { signal }) }, (_error, stdout) => {
      const total = /^(\d+)\ttotal$/m.exec(stdout)?.[1];
      resolve(total === undefined ? null : Number(total) * 1024);
    });
  });
}
