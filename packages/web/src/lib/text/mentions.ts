/** Agents named after an at sign, each once, in the order of their first mention. The longest name counts. */
export function mentionsIn(text: string, names: Iterable<string>): string[] {
  const known = [...new Set(names)].sort((one, two) => two.length - one.length);
  const found: string[] = [];
  for (const { index } of text.matchAll(/(?<![^\s([{"'`])@/g)) {
    const rest = text.slice(index + 1);
    const name = known.find((one) => rest.startsWith(one) && endsThere(rest, one.length));
    if (name !== undefined && !found.includes(name)) found.push(name);
  }
  return found;
}

/** A longer word, or a path, is something else. A full stop at the end of a sentence is not. */
function endsThere(text: string, at: number): boolean {
  return !/^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/u.test(text.slice(at));
}
