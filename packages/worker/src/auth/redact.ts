import type { Env } from '../env.ts';

export const REDACTED = '[redacted]';

/** A shorter value would blot out ordinary text. */
const MIN_LENGTH = 8;
const SECRET_NAME = /(_KEY|_TOKEN|_SECRET|_PASSWORD)$/;

type Redactor = (text: string) => string;

/** Values of the environment that no text may show. */
export function secretsOf(env: Env): readonly string[] {
  const values: unknown[] = Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value);
  return values.filter(
    (value): value is string => typeof value === 'string' && value.length >= MIN_LENGTH,
  );
}

/** Compiles the secrets once; text without any of them passes untouched. */
export function redactorOf(secrets: readonly string[]): Redactor {
  const needles = [...new Set(secrets.filter((s) => s.length >= MIN_LENGTH).flatMap(spellings))];
  // Longest first, so that a secret which contains another one is replaced whole.
  needles.sort((a, b) => b.length - a.length);
  return (text) => {
    let out = text;
    for (const needle of needles) if (out.includes(needle)) out = out.replaceAll(needle, REDACTED);
    return out;
  };
}

export function redact(text: string, secrets: readonly string[]): string {
  return redactorOf(secrets)(text);
}

/** The secret as it is, inside JSON, inside a URL, and inside base64 at each of the three alignments. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].flatMap((shift) => {
    const core = base64Core(bytes, shift);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    ...encoded,
  ];
}

/** The characters of a base64 text that the bytes alone decide, when `shift` bytes stand before them. */
function base64Core(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  const start = Math.ceil((shift * 8) / 6);
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  return text.slice(start, end);
}
