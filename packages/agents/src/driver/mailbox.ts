/** What happens, in the order in which it happened, one at a time. */
export class Mailbox<T> {
  #waiting: T[] = [];
  #taker: ((item: T) => void) | null = null;

  put(item: T): void {
    const taker = this.#taker;
    this.#taker = null;
    if (taker) taker(item);
    else this.#waiting.push(item);
  }

  /** The next item, or null if there is none within the time. */
  async take(withinMs?: number): Promise<T | null> {
    const item = this.#waiting.shift();
    if (item !== undefined) return item;
    return new Promise((resolve) => {
      const timer =
        withinMs === undefined
          ? undefined
          : setTimeout(() => {
              this.#taker = null;
              resolve(null);
            }, withinMs);
      this.#taker = (next) => {
        clearTimeout(timer);
        resolve(next);
      };
    });
  }
}
