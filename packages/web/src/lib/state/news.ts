import type { AttentionItem } from '@filepath/protocol';

/** Clocks of server and browser differ; what is older than this is no news when a page opens. */
const SKEW_MS = 60_000;

/** Which items are to be told of: each once, and none that waited before the page was opened. */
export class News {
  readonly #since: number;
  readonly #told = new Set<string>();

  constructor(now: number) {
    this.#since = now - SKEW_MS;
  }

  take(items: readonly AttentionItem[]): AttentionItem[] {
    const fresh = items.filter(
      (item) => !this.#told.has(item.id) && Date.parse(item.at) >= this.#since,
    );
    for (const item of items) this.#told.add(item.id);
    return fresh;
  }
}
