import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A unix socket's address holds 104 bytes on macOS, 108 on Linux. */
const LONGEST_DIRECTORY = 90;

/** An empty directory, readable by its owner only, for the sockets between this process and workerd. */
export function makeSocketDirectory(home: string): string {
  const inHome = join(home, 'sockets');
  if (Buffer.byteLength(inHome) > LONGEST_DIRECTORY)
    return mkdtempSync(join(tmpdir(), 'filepath-'));
  rmSync(inHome, { recursive: true, force: true });
  mkdirSync(inHome, { mode: 0o700 });
  return inHome;
}
