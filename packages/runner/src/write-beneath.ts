import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchownSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { errorCode, writeFully } from './files.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = constants;

/**
 * Puts a file below a directory that is an agent's, in place of what is there. No link in it is followed, on the way or
 * at the end. Names are constants or checked: none is `..` or has a slash.
 */
export function writeBeneath(
  root: string,
  names: readonly string[],
  content: Buffer,
  uid: number | null,
): void {
  let at = openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const name of names.slice(0, -1)) {
      const next = openFolder(`/proc/self/fd/${at}/${name}`, uid);
      closeSync(at);
      at = next;
    }
    replaceFile(`/proc/self/fd/${at}`, names.at(-1) ?? '', content, uid);
  } finally {
    closeSync(at);
  }
}

function openFolder(path: string, uid: number | null): number {
  let made = true;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    made = false;
  }
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (made && uid !== null) fchownSync(fd, uid, uid);
  return fd;
}

/** A link that stands there is replaced, not followed. */
function replaceFile(folder: string, name: string, content: Buffer, uid: number | null): void {
  const temporary = `${folder}/.${randomBytes(8).toString('hex')}.tmp`;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    if (uid !== null) fchownSync(fd, uid, uid);
    writeFully(fd, content);
    renameSync(temporary, `${folder}/${name}`);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
}
