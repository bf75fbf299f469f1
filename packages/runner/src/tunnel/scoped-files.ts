import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Files } from '@filepath/protocol/sky';
import { errorCode } from '../files.ts';
import { replaceBeneath } from './replace-beneath.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** Bytes of a file that is read or written. */
const MOST = 2 * 1024 * 1024;

/** A file that is not given out, with a code and words for whoever asked. */
export class ScopeRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ScopeRefusal';
    this.code = code;
  }
}

/**
 * The files of one directory. It is opened once: whatever takes its name later is another directory. Each name on the
 * way is opened from the one before it, and none is a link, whoever puts one there meanwhile.
 */
export class ScopedFiles implements Files {
  readonly #root: number;

  constructor(dir: string) {
    this.#root = openSync(dir, O_RDONLY | O_DIRECTORY);
  }

  close(): void {
    closeSync(this.#root);
  }

  get(path: string): string | null {
    const names = namesOf(path);
    const folder = this.#folder(names.slice(0, -1), path);
    if (folder === null) return null;
    try {
      return this.#read(folder, names.at(-1) ?? '', path);
    } finally {
      closeSync(folder);
    }
  }

  put(path: string, text: string): string | null {
    const names = namesOf(path);
    if (names.some((name) => name.toLowerCase() === '.git'))
      throw new ScopeRefusal('out_of_scope', `${path} is git's own: it is not written.`);
    const bytes = Buffer.from(text);
    if (bytes.length > MOST) return `A file has at most ${MOST} bytes.`;
    try {
      replaceBeneath(this.#root, names, bytes);
    } catch (error) {
      throw refusalOf(error, path);
    }
    return null;
  }

  /** The caller closes it. Null: there is none. */
  #folder(names: readonly string[], path: string): number | null {
    let at = openSync(`/proc/self/fd/${this.#root}/.`, O_RDONLY | O_DIRECTORY);
    for (const name of names) {
      try {
        const next = openSync(
          `/proc/self/fd/${at}/${name}`,
          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK,
        );
        closeSync(at);
        at = next;
      } catch (error) {
        closeSync(at);
        if (errorCode(error) === 'ENOENT') return null;
        throw refusalOf(error, path);
      }
    }
    return at;
  }

  #read(folder: number, name: string, path: string): string | null {
    let fd: number;
    try {
      fd = openSync(`/proc/self/fd/${folder}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw refusalOf(error, path);
    }
    try {
      if (!fstatSync(fd).isFile())
        throw new ScopeRefusal('out_of_scope', `${path} is no regular file.`);
      return textOf(bytesOf(fd, path), path);
    } finally {
      closeSync(fd);
    }
  }
}

/** The schema of a path has no way up and no root; here nothing rests on that. */
function namesOf(path: string): string[] {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
    throw new ScopeRefusal('out_of_scope', 'A path is relative, and stays below the directory.');
  return names;
}

function bytesOf(fd: number, path: string): Buffer {
  const bytes = Buffer.alloc(MOST + 1);
  let length = 0;
  for (;;) {
    const more = readSync(fd, bytes, length, bytes.length - length, null);
    length += more;
    if (more === 0) return bytes.subarray(0, length);
    if (length > MOST) throw new ScopeRefusal('too_large', `${path} has more than ${MOST} bytes.`);
  }
}

function textOf(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ScopeRefusal('not_text', `${path} is no text in UTF-8.`);
  }
}

function refusalOf(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === 'ELOOP' || code === 'ENOTDIR')
    return new ScopeRefusal('out_of_scope', `${path} leads through a link or a file: refused.`);
  if (code === 'EISDIR') return new ScopeRefusal('out_of_scope', `${path} is a directory.`);
  if (code === 'EACCES' || code === 'EPERM')
    return new ScopeRefusal('denied', `${path} may not be opened here.`);
  return error;
}
