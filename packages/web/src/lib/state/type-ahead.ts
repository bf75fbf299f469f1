import type { Row } from './tree-rows.ts';

const PAUSE_MS = 700;

/** Finds rows by the beginning of their names, letter by letter; the same letter again goes on to the next one. */
export class TypeAhead {
  #typed = '';
  #last = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a letter now would add to those before. */
  get open(): boolean {
    return this.#typed !== '' && this.#now() - this.#last < PAUSE_MS;
  }

  find(rows: readonly Row[], from: string, letter: string): string | null {
    const typed = (this.open ? this.#typed : '') + letter.toLowerCase();
    this.#typed = typed;
    this.#last = this.#now();
    const again = typed.length > 1 && new Set(typed).size === 1;
    const start = rows.findIndex((row) => row.node.id === from);
    // What has grown may still mean the row it is on; a first letter means another one.
    const offset = typed.length === 1 || again ? 1 : 0;
    const wanted = again ? letter.toLowerCase() : typed;
    for (let step = 0; step < rows.length; step += 1) {
      const row = rows[(Math.max(start, 0) + offset + step) % rows.length];
      if (row?.node.name.toLowerCase().startsWith(wanted)) return row.node.id;
    }
    return null;
  }
}
