/** Words of a question that count: a task may be long. */
const MOST_WORDS = 64;
const READ = 16 * 1024;

/**
 * A question as a query of FTS5: any of its words. Only letters and digits get in, each word in quotes, so that
 * nothing in it is taken for an operator. Null: there is no word in it.
 */
export function matchOf(question: string): string | null {
  const words = termsOf(question).slice(0, MOST_WORDS);
  return words.length === 0 ? null : words.map(quoted).join(' OR ');
}

/** One character of an unspaced script is found wherever it stands: every pair in the index begins with one. */
const quoted = (word: string): string => `"${word}"${ALONE.test(word) ? '*' : ''}`;

/** The words of a text, each once. */
export function wordsOf(text: string): string[] {
  const found = text.slice(0, READ).toLowerCase().match(WORDS) ?? [];
  return [...new Set(found)];
}

/** What a question is asked with, each once: its words, and of what is written without spaces each pair of characters. */
export function termsOf(text: string): string[] {
  const terms = runsOf(text.slice(0, READ)).flatMap((run) => {
    const units = unitsOf(run);
    return units.length < 2 ? [run] : units.slice(1).map((unit, at) => `${units[at]}${unit}`);
  });
  return [...new Set(terms)];
}

/** A text as the index takes it. Of what is written without spaces it has each character with the next one. */
export function indexed(text: string): string {
  return runsOf(text)
    .flatMap((run) => {
      const units = unitsOf(run);
      return units.length === 0 ? [run] : units.map((unit, at) => unit + (units[at + 1] ?? ''));
    })
    .join(' ');
}

/** Scripts whose words nothing divides. Those of Korean end in particles, which a question does not have. */
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]`;
const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;
const WORDS = new RegExp(String.raw`[\p{L}\p{N}]${LETTER}*`, 'gu');
const RUNS = new RegExp(`(?:(?=${UNSPACED})${LETTER}\\p{M}*)+|(?:(?!${UNSPACED})${LETTER})+`, 'gu');
const BEGINS = new RegExp(`^${UNSPACED}`, 'u');
const ALONE = new RegExp(`^(?=${UNSPACED}).\\p{M}*$`, 'u');

/** Words, and runs of what has no spaces: without case, width and accents. */
function runsOf(text: string): string[] {
  return (text.match(WORDS) ?? []).flatMap((word) => {
    const plain = word.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '');
    // A letter that is nothing but an accent stands for itself.
    return plain.normalize('NFC').toLowerCase().match(RUNS) ?? [word];
  });
}

/** Characters with their marks, of a run that has no spaces; none of any other. */
const unitsOf = (run: string): string[] => (BEGINS.test(run) ? (run.match(/.\p{M}*/gu) ?? []) : []);

/** What makes two memories the same one: case and white space do not count. */
export function sameness(content: string): string {
  return content.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
