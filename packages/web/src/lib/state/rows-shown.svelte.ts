import { flushSync } from 'svelte';

/** All rows of a group, however many it has. */
export const ALL = Number.POSITIVE_INFINITY;
/** In a frame rows are put on the page until this time is used, and never more than so many. */
const BUDGET_MS = 2;
const MOST_ROWS = 2;
/** Rows in a frame where all are wanted, and nobody scrolls meanwhile. */
const MANY_ROWS = 160;

/** One group: so many of its rows, from its first, are on the page. Each has a state of its own, so that one that changes asks nothing of the others. */
class Group {
  rows = $state.raw(0);
  /** Whether it is to be on the page; null: as it is. */
  wanted: boolean | null = null;
  /** So many rows it has. */
  size: () => number = () => 0;
}

/** Which rows of a thread are on the page. What is near the view comes row by row, some in a frame, before it is in view. */
export class RowsShown {
  readonly #groups = new Map<number, Group>();
  readonly #queue = new Set<number>();
  #frame: number | null = null;
  #many = false;

  /** Makes the group known. Gives back what it shows. */
  add(key: number, size: () => number): { readonly rows: number } {
    const group = this.#of(key);
    group.size = size;
    return group;
  }

  delete(key: number): void {
    this.#groups.delete(key);
    this.#queue.delete(key);
  }

  /** All of it, now. */
  show(key: number): void {
    const group = this.#of(key);
    this.#queue.delete(key);
    group.wanted = null;
    group.rows = ALL;
  }

  /** It is to be on the page, or away from it, some frames from now. */
  want(key: number, wanted: boolean): void {
    this.#of(key).wanted = wanted;
    this.#queue.add(key);
    this.#later();
  }

  wantMany(keys: Iterable<number>): void {
    this.#many = true;
    for (const key of keys) this.want(key, true);
  }

  close(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
  }

  #of(key: number): Group {
    const group = this.#groups.get(key) ?? new Group();
    this.#groups.set(key, group);
    return group;
  }

  #later(): void {
    if (this.#queue.size === 0) this.#many = false;
    if (this.#queue.size === 0 || this.#frame !== null) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = null;
      if (!this.#putSome()) this.#takeOne();
      this.#later();
    });
  }

  /** False: no row is missing. */
  #putSome(): boolean {
    const until = performance.now() + (this.#many ? ALL : BUDGET_MS);
    const most = this.#many ? MANY_ROWS : MOST_ROWS;
    let put = 0;
    while (put < most && this.#putOne()) {
      put += 1;
      if (this.#many) continue;
      flushSync();
      if (performance.now() >= until) break;
    }
    return put > 0;
  }

  #putOne(): boolean {
    for (const key of this.#queue) {
      const group = this.#of(key);
      if (group.wanted === false) continue;
      const missing = group.rows < group.size();
      const next = group.rows + 1;
      if (!missing || next >= group.size()) {
        group.rows = ALL;
        this.#queue.delete(key);
      } else group.rows = next;
      if (missing) return true;
    }
    return false;
  }

  #takeOne(): void {
    for (const key of this.#queue) {
      this.#queue.delete(key);
      const group = this.#of(key);
      if (group.rows === 0) continue;
      group.rows = 0;
      return;
    }
  }
}
