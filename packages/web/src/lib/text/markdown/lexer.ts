import { Lexer, type Token, Tokenizer } from 'marked';
import { mathExtension } from './math.ts';

/** Deeper nesting is shown as text. */
const DEPTH = 16;
/** Longer runs of text, and those with more marks, have no spans: the time to find them grows with the square. */
const INLINE_CHARS = 10_000;
const INLINE_MARKS = 600;

/** HTML is text, and what a reference refers to may not be there yet while a text is written. */
class Blocks extends Tokenizer {
  #depth = 0;

  override html(): undefined {}
  override tag(): undefined {}
  override def(): undefined {}
  override reflink(): undefined {}

  override blockquote(src: string) {
    return this.#within(() => super.blockquote(src));
  }

  override list(src: string) {
    return this.#within(() => super.list(src));
  }

  #within<T>(work: () => T): T | undefined {
    if (this.#depth >= DEPTH) return undefined;
    this.#depth += 1;
    try {
      return work();
    } finally {
      this.#depth -= 1;
    }
  }
}

/** The tokens of a text. It never throws, and takes time in proportion to the text. */
export function tokensOf(source: string): Token[] {
  try {
    const lexer = new Lexer({ gfm: true, tokenizer: new Blocks(), extensions: mathExtension });
    const tokens = lexer.blockTokens(source, lexer.tokens);
    // What is found inside, as cells of tables, is added to the queue on the way.
    for (const { src, tokens: into } of lexer.inlineQueue) {
      if (isSimple(src)) lexer.inlineTokens(src, into);
      else into.push({ type: 'text', raw: src, text: src });
    }
    return tokens;
  } catch {
    return [{ type: 'text', raw: source, text: source }];
  }
}

function isSimple(src: string): boolean {
  if (src.length > INLINE_CHARS) return false;
  let marks = 0;
  for (const character of src) if ('*_~[`'.includes(character)) marks += 1;
  return marks <= INLINE_MARKS;
}
