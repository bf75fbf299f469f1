import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { errorCode, writeFully } from '../files.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/**
 * Puts a file below an open directory, in place of the one there, with its mode. No name on the way may be a link; a
 * link at the end is refused when it is seen, and replaced, never followed, when it comes at the last moment.
 */
export function replaceBeneath(root: number, names: readonly string[], content: Buffer): void {
  let at = openSync(`/proc/self/fd/${root}/.`, O_RDONLY | O_DIRECTORY);
  try {
    for (const name of names.slice(0, -1)) {
      const next = folderIn(at, name);
      closeSync(at);
      at = next;
    }
    const name = names.at(-1) ?? '';
    replace(`/proc/self/fd/${at}`, name, content, modeOf(at, name));
  } finally {
    closeSync(at);
  }
}

function folderIn(at: number, name: string): number {
  const path = `/proc/self/fd/${at}/${name}`;
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
}

/** Null: there is no such file. Throws for anything that is there and is no regular file. */
function modeOf(at: number, name: string): number | null {
  let fd: number;
  try {
    fd = openSync(`/proc/self/fd/${at}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const found = fstatSync(fd);
    if (found.isFile()) return found.mode & 0o777;
    throw Object.assign(new Error('no regular file'), { code: 'EISDIR' });
  } finally {
    closeSync(fd);
  }
}

function replace(folder: string, name: string, content: Buffer, mode: number | null): void {
  const temporary = `${folder}/.${randomBytes(8).toString('hex')}.tmp`;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    if (mode !== null) fchmodSync(fd, mode);
    writeFully(fd, content);
    fsyncSync(fd);
    renameSync(temporary, `${folder}/${name}`);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
}
