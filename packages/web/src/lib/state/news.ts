import type { AttentionItem, Node } from '@filepath/protocol';
import { treeStatus } from '../text/tab-status.ts';

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
      (item) => !this.#told.has(keyOf(item)) && Date.parse(item.at) >= this.#since,
    );
    for (const item of items) this.#told.add(keyOf(item));
    return fresh;
  }
}

/** What an agent waits for again has the same id, and another time. */
const keyOf = ({ id, at }: AttentionItem): string => `${id} ${at}`;

type Seen = Pick<Node, 'status' | 'reason' | 'parentId'>;

/** Whether a tree has come to its end while it was looked at: not by being read for the first time. */
export class DoneNews {
  #done = false;
  #seen: ReadonlyMap<string, Seen> = new Map();

  take(nodes: ReadonlyMap<string, Seen>): boolean {
    const before = { done: this.#done, seen: this.#seen };
    this.#done = treeStatus(nodes.values()) === 'done';
    this.#seen = nodes;
    if (!this.#done || before.done) return false;
    return [...nodes].some(([id, { status }]) => {
      const known = before.seen.get(id);
      return known !== undefined && known.status !== status;
    });
  }
}
