/** Walks through what was sent before, newest first. It begins in an empty field and ends there. */
export class SentHistory {
  readonly #sent: () => readonly string[];
  #at = 0;
  #shown = '';

  constructor(sent: () => readonly string[]) {
    this.#sent = sent;
  }

  /** The one before; null: the key is not for the history. */
  older(text: string): string | null {
    if (!this.#walking(text) && text !== '') return null;
    if (text === '') this.#at = 0;
    const all = this.#sent();
    const found = all[all.length - 1 - this.#at];
    if (found === undefined) return null;
    this.#at += 1;
    return this.#show(found);
  }

  newer(text: string): string | null {
    if (!this.#walking(text)) return null;
    this.#at -= 1;
    const all = this.#sent();
    return this.#show(this.#at === 0 ? '' : (all[all.length - this.#at] ?? ''));
  }

  /** What is shown is unchanged since it was put there. */
  #walking(text: string): boolean {
    return this.#at > 0 && text !== '' && text === this.#shown;
  }

  #show(text: string): string {
    this.#shown = text;
    return text;
  }
}
