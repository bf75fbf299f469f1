/** How well what is typed fits a text, 0 (not at all) to 1 (the same): its letters in order, best at the beginnings of words. */
export function fit(text: string, typed: string): number {
  const wanted = typed.toLowerCase().replaceAll(/\s+/g, '');
  const low = text.toLowerCase();
  if (wanted === '') return 1;
  if (low === typed.trim().toLowerCase()) return 1;
  let points = 0;
  let at = 0;
  let last = -2;
  for (const letter of wanted) {
    const found = next(low, letter, at, last);
    if (found === -1) return 0;
    points += found === last + 1 ? 1 : isStart(low, found) ? 0.9 : 0.35;
    last = found;
    at = found + 1;
  }
  // Of two that fit alike the shorter one is meant.
  return (points / wanted.length) * 0.9 + 0.09 * (wanted.length / Math.max(low.length, 1));
}

/** The next place of a letter: right behind the last one, else at the beginning of a word, else anywhere. */
function next(text: string, letter: string, from: number, last: number): number {
  if (text[last + 1] === letter && last + 1 === from) return from;
  const first = text.indexOf(letter, from);
  for (let at = first; at !== -1; at = text.indexOf(letter, at + 1)) {
    if (isStart(text, at)) return at;
  }
  return first;
}

function isStart(text: string, at: number): boolean {
  return at === 0 || /[\s\-_./:]/.test(text[at - 1] ?? '');
}

/** The best, best first; those that fit alike stay in their order. */
export function best<T>(
  items: readonly T[],
  typed: string,
  textOf: (item: T) => readonly string[],
  limit: number,
): T[] {
  return items
    .map((item) => ({ item, points: Math.max(0, ...textOf(item).map((one) => fit(one, typed))) }))
    .filter(({ points }) => points > 0.3)
    .sort((a, b) => b.points - a.points)
    .slice(0, limit)
    .map(({ item }) => item);
}
