/** How long the end of a child that was answered is not told beside: by then it is known whether the agent has the answer. */
const UNSURE_MS = 10_000;
/** How long the word for it is taken. What was told meanwhile is told twice. */
const KEPT_MS = 60_000;

/** What an answer says of children that have ended: how far the agent that has it has read their threads. */
export type Ends = ReadonlyMap<string, number>;

type Answer = { readonly parent: string; readonly ends: Ends; readonly at: number };

/**
 * Ends of children that were answered to their parents. An answer can be lost on its way: until the runner says that
 * the agent has it, nothing is read. Kept in memory: what is lost with its object is told once more.
 */
export class Handed {
  readonly #now: () => number;
  readonly #answers = new Map<string, Answer>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The name of the answer; null where it tells of no end. */
  give(parent: string, ends: Ends): string | null {
    const at = this.#now();
    for (const [id, answer] of this.#answers) {
      if (answer.at + KEPT_MS < at) this.#answers.delete(id);
    }
    if (ends.size === 0) return null;
    const id = crypto.randomUUID();
    this.#answers.set(id, { parent, ends, at });
    return id;
  }

  /** What the agent has read by it. */
  take(parent: string, id: string): Ends {
    const answer = this.#answers.get(id);
    if (answer?.parent !== parent) return new Map();
    this.#answers.delete(id);
    return answer.ends;
  }

  /** The child's end is on its way to its parent. */
  holds(child: string): boolean {
    const since = this.#now() - UNSURE_MS;
    for (const { ends, at } of this.#answers.values()) {
      if (at > since && ends.has(child)) return true;
    }
    return false;
  }
}
