/** A text with its escapes undone. `textAt` says where in the original a place of it is. */
export type Unescaped = { text: string; textAt(index: number): number };

/** What can hide a letter. A quote is escaped in nearly every line, and then as the list of forms has it. */
const HIDING = /\\[ux/]|%[0-7][0-9a-fA-F]/;
/** A character, written as an escape of JSON, of JSON within JSON, of C or of URLs; or backslashes alone, each by two. */
const ESCAPE =
  /\\+(?:u([0-9a-fA-F]{4})|x([0-7][0-9a-fA-F])|(["/bfnrt]))|%([0-7][0-9a-fA-F])|\\{2,}/g;
const NAMED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Any character may be written as an escape: no list of forms holds them all. Null where the text has none, as
 * nearly every text.
 */
export function unescaped(original: string): Unescaped | null {
  if (!HIDING.test(original)) return null;
  const parts: string[] = [];
  /** After each escape: the place in the text, and the one in the original. */
  const places: number[] = [];
  const originals: number[] = [];
  let length = 0;
  let from = 0;
  for (const match of original.matchAll(ESCAPE)) {
    const [escape, unit, byte, name, percent] = match;
    const before = original.slice(from, match.index);
    const meant = meaningOf(escape, unit ?? byte ?? percent, name);
    parts.push(before, meant);
    length += before.length + meant.length;
    from = match.index + escape.length;
    places.push(length);
    originals.push(from);
  }
  parts.push(original.slice(from));
  const textAt = (index: number): number => {
    const last = lastUpTo(places, index);
    return last < 0 ? index : (originals[last] ?? 0) + index - (places[last] ?? 0);
  };
  return { text: parts.join(''), textAt };
}

function meaningOf(escape: string, code: string | undefined, name: string | undefined): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return name === undefined ? '\\'.repeat(escape.length >> 1) : (NAMED[name] ?? name);
}

/** Index of the last of the rising numbers that is not above this one, or -1. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
