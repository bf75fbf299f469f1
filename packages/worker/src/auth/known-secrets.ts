/** Secret values that this worker has read from its database since it started. A removed key is still one. */
const MAX = 512;
const known = new Set<string>();

export function learnSecrets(values: Iterable<string>): void {
  for (const value of values) if (value.length > 0 && known.size < MAX) known.add(value);
}

export function knownSecrets(): ReadonlySet<string> {
  return known;
}
