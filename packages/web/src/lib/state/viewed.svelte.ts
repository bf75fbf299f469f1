import { SvelteMap } from 'svelte/reactivity';
import { recall, remember } from './remembered.ts';

const MOST = 1000;

/** Files that a person has looked at, each as it was then. This browser keeps it. */
export class Viewed {
  readonly #marks: SvelteMap<string, string>;
  readonly #key: string;

  constructor(node: string) {
    this.#key = `viewed:${node}`;
    this.#marks = new SvelteMap(Object.entries(kept(this.#key)));
  }

  has(path: string, signature: string): boolean {
    return this.#marks.get(path) === signature;
  }

  /** Null: it is to be looked at again. */
  mark(path: string, signature: string | null): void {
    if (signature === null) this.#marks.delete(path);
    else this.#marks.set(path, signature);
    const newest = [...this.#marks].slice(-MOST);
    remember(this.#key, JSON.stringify(Object.fromEntries(newest)));
  }
}

function kept(key: string): Record<string, string> {
  try {
    const marks: unknown = JSON.parse(recall(key) ?? '{}');
    const entries = Object.entries(Object(marks)).filter(([, mark]) => typeof mark === 'string');
    return Object.fromEntries(entries) as Record<string, string>;
  } catch {
    return {};
  }
}
