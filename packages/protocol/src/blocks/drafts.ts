import type { TextBlock } from './block.ts';

/** Texts that are still being written, in the order in which they began. */
export class Drafts {
  #byId = new Map<string, TextBlock>();
  #count = 0;

  set(id: string, content: string, seq: number, at: string): void {
    const before = this.#byId.get(id) ?? this.#begin(seq, at);
    this.#byId.set(id, { ...before, content });
  }

  append(id: string, delta: string, seq: number, at: string): void {
    const before = this.#byId.get(id) ?? this.#begin(seq, at);
    this.#byId.set(id, { ...before, content: before.content + delta });
  }

  take(id: string): TextBlock | undefined {
    const draft = this.#byId.get(id);
    this.#byId.delete(id);
    return draft;
  }

  blocks(): Iterable<TextBlock> {
    return this.#byId.values();
  }

  /** An agent may use one id for several texts, so the block's id counts. */
  #begin(seq: number, at: string): TextBlock {
    this.#count += 1;
    return {
      id: `d${this.#count}`,
      seq,
      at,
      verified: false,
      kind: 'text',
      content: '',
      partial: true,
      truncated: false,
    };
  }
}
