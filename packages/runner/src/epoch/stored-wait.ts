/** Waits until the worker has stored some of an epoch's observations. */
export class StoredWait {
  #stored = 0;
  readonly #waiting = new Set<() => void>();

  /** The worker has stored this many. */
  note(stored: number): void {
    this.#stored = stored;
    for (const check of this.#waiting) check();
  }

  /** Resolves too when the time is over or the wait is given up: what waits goes on without. */
  async until(count: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#stored >= count || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (this.#stored >= count) resolve();
    };
    const timer = setTimeout(resolve, ms);
    const give = (): void => resolve();
    this.#waiting.add(check);
    signal.addEventListener('abort', give, { once: true });
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(check);
    signal.removeEventListener('abort', give);
  }
}
