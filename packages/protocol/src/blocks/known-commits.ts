import type { CommitsBlock } from './block.ts';

export type Commit = CommitsBlock['commits'][number];

/** Where a commit is shown: the index of its block, and its place in it. */
type Shown = { hash: string; block: number; place: number };

/** The shortest part of a hash that is taken for the whole. */
const SHORT = 7;

/** Finds the shown commit that a hash, or the beginning of one, names. */
export class KnownCommits {
  #byStart = new Map<string, Shown[]>();

  find(hash: string): Shown | undefined {
    if (hash.length < SHORT) return undefined;
    const name = hash.toLowerCase();
    return this.#byStart
      .get(name.slice(0, SHORT))
      ?.findLast((shown) => shown.hash.startsWith(name) || name.startsWith(shown.hash));
  }

  add(hash: string, block: number, place: number): void {
    if (hash.length < SHORT) return;
    const name = hash.toLowerCase();
    const list = this.#byStart.get(name.slice(0, SHORT));
    if (list === undefined) this.#byStart.set(name.slice(0, SHORT), [{ hash: name, block, place }]);
    else list.push({ hash: name, block, place });
  }
}
