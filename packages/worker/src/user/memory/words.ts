/** Words of a question that count: a task may be long. */
const MOST_WORDS = 64;
const READ = 16 * 1024;

/**
 * A question as a query of FTS5: any of its words. Only letters and digits get in, each word in quotes, so that
 * nothing in it is taken for an operator. Null: there is no word in it.
 */
export function matchOf(question: string): string | null {
  const words = wordsOf(question).slice(0, MOST_WORDS);
  return words.length === 0 ? null : words.map((word) => `"${word}"`).join(' OR ');
}

/** The words of a text, each once. */
export function wordsOf(text: string): string[] {
  const found =
    text
      .slice(0, READ)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(found)];
}

/** What makes two memories the same one: case and white space do not count. */
export function sameness(content: string): string {
  return content.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
