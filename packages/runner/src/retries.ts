const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

type Try = {
  task: () => Promise<void>;
  failed: (error: unknown) => void;
  failures: number;
  timer: NodeJS.Timeout | null;
};

/** Tries again what failed, after 1, 2, 4 … 30 seconds, until it is done or this is closed. */
export class Retries {
  readonly #tries = new Map<string, Try>();
  #closed = false;

  /** The task may be repeated. One that comes again under its key is tried at once, in place of the one that waits. */
  run(key: string, task: () => Promise<void>, failed: (error: unknown) => void): void {
    if (this.#closed) return;
    const before = this.#tries.get(key);
    if (before?.timer) clearTimeout(before.timer);
    const next: Try = { task, failed, failures: before?.failures ?? 0, timer: null };
    this.#tries.set(key, next);
    this.#attempt(key, next);
  }

  /** Does not wait longer with those whose key begins so. */
  hurry(prefix: string): void {
    for (const [key, waiting] of this.#tries) {
      if (!key.startsWith(prefix) || waiting.timer === null) continue;
      clearTimeout(waiting.timer);
      this.#attempt(key, waiting);
    }
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#tries.values()) if (timer !== null) clearTimeout(timer);
    this.#tries.clear();
  }

  #attempt(key: string, now: Try): void {
    now.timer = null;
    now.task().then(
      () => {
        if (this.#tries.get(key) === now) this.#tries.delete(key);
      },
      (error: unknown) => {
        if (this.#closed) return;
        now.failed(error);
        if (this.#tries.get(key) !== now) return;
        const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** now.failures);
        now.failures = Math.min(now.failures + 1, 16);
        now.timer = setTimeout(() => this.#attempt(key, now), wait);
      },
    );
  }
}
