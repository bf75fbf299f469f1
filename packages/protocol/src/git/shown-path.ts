/** Of letters, digits and the usual marks: nothing in it can be taken for words or for a line of its own. */
const USUAL = /^[\p{L}\p{N}\p{M}_.@+/-]+$/u;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The name of a file as it stands among words: an odd one is quoted, on one line. */
export function shownPath(path: string): string {
  if (USUAL.test(path)) return path;
  return JSON.stringify(path).replace(UNSEEN, escaped);
}

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
