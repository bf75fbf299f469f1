const FIRST_MS = 200;
const LONGEST_MS = 10_000;

/** Doubling delays; each is drawn from its upper half, so that many viewers do not return at once. */
export class Backoff {
  #tries = 0;
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  next(): number {
    const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#tries);
    this.#tries = Math.min(this.#tries + 1, 16);
    return ceiling / 2 + (this.#random() * ceiling) / 2;
  }

  reset(): void {
    this.#tries = 0;
  }
}
