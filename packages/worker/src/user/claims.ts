import { FilepathError } from '@filepath/protocol';

/** Whoever answers has this long. One that is cut off in between leaves it to the next. */
const CLAIM_MS = 30_000;

/** What is being answered just now. */
export class Claims {
  #now: () => number;
  #held = new Map<string, { choice: string; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  take(id: string, choice: string): void {
    const held = this.#held.get(id);
    if (held !== undefined && held.until > this.#now()) {
      throw new FilepathError('conflict', `this is being answered already: ${held.choice}`);
    }
    this.#held.set(id, { choice, until: this.#now() + CLAIM_MS });
  }

  give(id: string): void {
    this.#held.delete(id);
  }
}
