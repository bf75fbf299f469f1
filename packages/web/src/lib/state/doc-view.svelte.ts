import { lexer, type Token } from 'marked';
import { contentsOf, plainText, type Section } from '../docs/contents.ts';
import { textOf } from '../docs/pages.ts';

/** A page of the documentation, and the table of contents beside it. */
export class DocView {
  sections = $state.raw<readonly Section[]>([]);
  tokens = $state.raw<readonly Token[] | null>(null);
  title = $state('Documentation');
  state = $state<'loading' | 'there' | 'missing' | 'failed'>('loading');
  /** The path of the page that is shown, which may not be the one that is asked for yet. */
  path = $state('');
  #asked = 0;

  async open(path: string): Promise<void> {
    const ask = (this.#asked += 1);
    this.state = 'loading';
    try {
      const [text, readme] = await Promise.all([textOf(path), textOf('')]);
      if (ask !== this.#asked) return;
      this.sections = contentsOf(readme ?? '');
      this.path = path;
      this.tokens = text === null ? null : lexer(text);
      const heading = this.tokens?.find((token) => token.type === 'heading');
      this.title = heading ? plainText([heading]) : 'Documentation';
      this.state = text === null ? 'missing' : 'there';
    } catch {
      if (ask === this.#asked) this.state = 'failed';
    }
  }
}
