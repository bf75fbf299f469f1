import type { Files } from './tools/files.ts';

/** The files that a call was made on are not in the export. */
export class NotInExport extends Error {}

/** A workspace as far as the calls of an export tell of it. */
export class ReplayFiles {
  #generation = 0;
  #known = new Map<string, string>();
  #lost = new Set<string>();
  /** Nothing was there before what is known. */
  #whole: boolean;

  /** `whole`: the export begins with the first event of its log. */
  constructor(whole: boolean) {
    this.#whole = whole;
  }

  /** Of another generation nothing is known but what its own calls write; the first one began empty. */
  enter(generation: number): void {
    if (generation === this.#generation) return;
    this.#whole = this.#whole && this.#generation === 0 && generation === 1;
    this.#generation = generation;
    this.#known.clear();
    this.#lost.clear();
  }

  /** What a call would see and change. Nothing is kept before `keep`. */
  view(): Files & { keep(): void } {
    const changed = new Map<string, string>();
    return {
      get: (path) => {
        const known = changed.get(path) ?? this.#known.get(path);
        if (known !== undefined) return known;
        if (this.#whole && !this.#lost.has(path)) return null;
        throw new NotInExport();
      },
      put: (path, text) => {
        changed.set(path, text);
        return null;
      },
      keep: () => {
        for (const [path, text] of changed) this.#known.set(path, text);
      },
    };
  }

  /** What a call did to a file cannot be told; `text`: but what it left can. */
  lose(path: string, text: string | null): void {
    if (text === null) {
      this.#known.delete(path);
      this.#lost.add(path);
    } else this.#known.set(path, text);
  }
}
