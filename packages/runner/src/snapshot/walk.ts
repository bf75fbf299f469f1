import { Refusal } from '../executor/executor.ts';
import type { TarEntry } from './tar-header.ts';
import { shown } from './tar-reader.ts';

const PATH_BYTES = 4096;
const NAME_BYTES = 255;
const DEPTH = 256;
const ENTRIES = 1_000_000;

/**
 * Checks the order of an archive: folders before what is in them, names of a folder rising. So no path comes twice, and
 * nothing is put through a link: what a path leads through is a folder that came before. It needs no memory but for
 * the folders it is in.
 */
export class Walk {
  /** The folder that came last, and the last name in each folder above it. */
  #folder: string[] = [];
  #names: string[] = [];
  #count = 0;

  /** Names of the path below the root; the root itself is not among them. Throws a Refusal. */
  step(entry: TarEntry, names: readonly string[]): void {
    this.#count += 1;
    if (this.#count > ENTRIES) throw new Refusal(`it has more than ${ENTRIES} files`);
    const name = names.at(-1);
    const depth = names.length - 1;
    if (name === undefined) throw new Refusal(`${shown(entry.path)} is no plain path`);
    if (depth >= DEPTH || entry.path.length > PATH_BYTES) {
      throw new Refusal(`${shown(entry.path)} is nested too deep or too long`);
    }
    for (const part of names) {
      if (part === '' || part === '.' || part === '..' || part.length > NAME_BYTES) {
        throw new Refusal(`${shown(entry.path)} is no plain path`);
      }
    }
    const parent = names.slice(0, -1);
    if (parent.length > this.#folder.length || parent.some((part, i) => part !== this.#folder[i])) {
      throw new Refusal(`${shown(entry.path)} is in no folder that came before it`);
    }
    const before = this.#names[depth];
    if (before !== undefined && before >= name) {
      throw new Refusal(`${shown(entry.path)} comes twice or out of order`);
    }
    this.#names.length = depth;
    this.#names.push(name);
    this.#folder = entry.kind === 'directory' ? [...names] : parent;
  }
}

/** The names of a member's path. A folder's path ends with a slash. */
export function namesOf(entry: TarEntry): string[] {
  const { path, kind } = entry;
  return (kind === 'directory' ? path.replace(/\/$/, '') : path).split('/');
}

/**
 * Whether a link below the root leads out of it. One that goes up after it went down is taken for one that does: where it
 * leads depends on other links.
 */
export function leaves(names: readonly string[], target: string): boolean {
  if (target === '' || target.startsWith('/') || target.length > PATH_BYTES) return true;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  const ups = up === -1 ? parts.length : up;
  return ups > names.length - 1 || parts.slice(ups).includes('..');
}
