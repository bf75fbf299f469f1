/** Bodies up to this size are always taken: so many of them can never be sent at once. */
const SMALL = 1024 * 1024;
/** Of the larger ones, all that are held at once. In memory each takes about three times its size. */
const ALL = 256 * 1024 * 1024;

/** The room for large bodies that wait to be sent. Every agent of an instance shares it. */
export class BodyRoom {
  #free: number;

  constructor(all = ALL) {
    this.#free = all;
  }

  /** Takes room for a body, and says how to give it back; null where there is none left. */
  take(size: number): (() => void) | null {
    if (size <= SMALL) return () => undefined;
    if (size > this.#free) return null;
    this.#free -= size;
    let held = size;
    return () => {
      this.#free += held;
      held = 0;
    };
  }
}
