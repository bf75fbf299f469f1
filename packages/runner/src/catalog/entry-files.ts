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
import { join } from 'node:path';
import type { AgentEntry } from '@filepath/protocol';
import { type Place, Refusal } from '../executor/executor.ts';
import { errorCode, isDiskFull, writeFully } from '../files.ts';
import { reasonOf } from '../log.ts';
import { fill, type Words } from './entry-environment.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = constants;

/**
 * Puts the entry's files into the agent's home, in place of what is there. The home is the agent's: no link in it is
 * followed, on the way or at the end. Repeatable. Throws a Refusal.
 */
export function writeEntryFiles(entry: AgentEntry, { dir, uid }: Place, words: Words): void {
  for (const [path, text] of Object.entries(entry.files ?? {})) {
    try {
      writeBeneath(join(dir, 'home'), path.split('/'), fill(text, words), uid);
    } catch (error) {
      if (isDiskFull(error)) throw error;
      throw new Refusal(
        `${entry.name} needs the file ${path} in its home, which cannot be written: ${reasonOf(error)}`,
      );
    }
  }
}

function writeBeneath(
  root: string,
  names: readonly string[],
  text: string,
  uid: number | null,
): void {
  let at = openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const name of names.slice(0, -1)) {
      const next = openFolder(`/proc/self/fd/${at}/${name}`, uid);
      closeSync(at);
      at = next;
    }
    replaceFile(`/proc/self/fd/${at}`, names.at(-1) ?? '', text, uid);
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
function replaceFile(folder: string, name: string, text: string, uid: number | null): void {
  const temporary = `${folder}/.${randomBytes(8).toString('hex')}.tmp`;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    if (uid !== null) fchownSync(fd, uid, uid);
    writeFully(fd, Buffer.from(text));
    renameSync(temporary, `${folder}/${name}`);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
}
