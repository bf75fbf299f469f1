import { languageOf } from '../../text/languages.ts';
import type { CodeToken } from './core.ts';

/** Longer code stays in one colour. */
const MOST_CHARS = 50_000;

type Painted = { line: string; tokens: readonly CodeToken[] };

let count = 0;

/** The colours of one piece of code, which may grow. */
export class Highlight {
  #painted = $state.raw<readonly Painted[]>([]);
  #wanted: { code: string; language: string } | null = null;
  #busy = false;
  readonly #key = `code-${(count += 1)}`;

  show(code: string, language: string): void {
    const possible = code.length <= MOST_CHARS && languageOf(language) !== null;
    this.#wanted = possible ? { code, language } : null;
    if (!this.#busy) void this.#paint();
  }

  /** The tokens of a line, if it is the one that was read; null: it has one colour. */
  tokensOf(line: string, index: number): readonly CodeToken[] | null {
    const painted = this.#painted[index];
    return painted?.line === line ? painted.tokens : null;
  }

  /** Without its grammar, as offline, code is shown in one colour. */
  async #paint(): Promise<void> {
    this.#busy = true;
    try {
      const { colours } = await import('./client.ts');
      for (let wanted = this.#wanted; wanted !== null; wanted = this.#next(wanted)) {
        const language = languageOf(wanted.language);
        if (language === null) break;
        const key = `${this.#key} ${language}`;
        const lines = await colours({ key, language, code: wanted.code });
        if (lines === null) break;
        const source = wanted.code.split('\n');
        this.#painted = source.map((line, index) => ({ line, tokens: lines[index] ?? [] }));
      }
    } catch {
      this.#painted = [];
    } finally {
      this.#busy = false;
    }
  }

  /** What has come since then; null: nothing. */
  #next(done: { code: string; language: string }): { code: string; language: string } | null {
    return this.#wanted === done ? null : this.#wanted;
  }
}
