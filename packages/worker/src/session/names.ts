const ADJECTIVES = [
  'amber',
  'bold',
  'brisk',
  'calm',
  'clear',
  'crisp',
  'deft',
  'eager',
  'fleet',
  'glad',
  'keen',
  'light',
  'lucid',
  'mild',
  'neat',
  'plain',
  'quick',
  'quiet',
  'sharp',
  'steady',
  'still',
  'sure',
  'swift',
  'tidy',
  'warm',
  'wise',
] as const;

/** A name for what was given none, like `calm-41`. */
export function inventName(): string {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint16Array(2));
  return `${ADJECTIVES[a % ADJECTIVES.length]}-${(b % 90) + 10}`;
}

/** The name of a home on disk: the node's name, and enough chance to be nobody else's. */
export function slugOf(name: string): string {
  const base = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  const suffix = [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => letters[byte % letters.length])
    .join('');
  return `${base === '' ? 'agent' : base}-${suffix}`;
}
