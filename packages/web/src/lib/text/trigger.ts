/** A word at the caret that asks for suggestions. */
export type Trigger = {
  readonly kind: 'command' | 'mention';
  /** What is written after the sign. */
  readonly query: string;
  /** Where the sign stands, and where the word ends. */
  readonly from: number;
  readonly to: number;
};

const LONGEST = 200;

/** A slash at the beginning of the text, or an at sign at the beginning of a word, up to the caret. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const slash = /^\s*\/([\w-]*)$/.exec(before);
  if (slash) {
    const query = slash[1] ?? '';
    return { kind: 'command', query, from: caret - query.length - 1, to: caret };
  }
  const at = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before.slice(-LONGEST));
  if (!at) return null;
  const query = at[1] ?? '';
  return { kind: 'mention', query, from: caret - query.length - 1, to: caret };
}

/** The text with the word replaced, and where the caret stands then. */
export function completed(
  text: string,
  { from, to }: Trigger,
  word: string,
): { text: string; caret: number } {
  const after = text.slice(to);
  const gap = /^\s/.test(after) ? '' : ' ';
  const caret = from + word.length + 1;
  return { text: `${text.slice(0, from)}${word}${gap}${after}`, caret };
}
