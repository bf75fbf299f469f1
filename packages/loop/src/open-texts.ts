import type { Emit } from './events.ts';

/** The texts of one answer while they come: deltas, then the whole, under one id. */
export class OpenTexts {
  readonly #emit: Emit;
  readonly #prefix = crypto.randomUUID();
  readonly #open = new Map<string, { readonly id: string; text: string }>();
  readonly #done: string[] = [];
  #count = 0;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** What has ended, as one text. */
  get whole(): string {
    return this.#done.join('\n\n');
  }

  async add(part: string, delta: string): Promise<void> {
    if (delta === '') return;
    const text = this.#open.get(part) ?? { id: `${this.#prefix}.${(this.#count += 1)}`, text: '' };
    text.text += delta;
    this.#open.set(part, text);
    await this.#emit({ type: 'text-delta', id: text.id, delta });
  }

  async end(part: string): Promise<void> {
    const ended = this.#open.get(part);
    if (!ended) return;
    this.#open.delete(part);
    this.#done.push(ended.text);
    await this.#emit({ type: 'text', id: ended.id, text: ended.text });
  }

  async endAll(): Promise<void> {
    for (const part of this.#open.keys()) await this.end(part);
  }
}
