import { createHash, timingSafeEqual } from 'node:crypto';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const encoder = new TextEncoder();

/** Compares in constant time for secrets of one length. A secret that is not set matches nothing. */
export function isSecret(given: string, secret: string | undefined): boolean {
  const one = encoder.encode(given);
  const other = encoder.encode(secret ?? '');
  const comparable = one.length === other.length;
  return timingSafeEqual(one, comparable ? other : one) && comparable && Boolean(secret);
}

/** The token of `Authorization: Bearer …`, or null. Tokens are never taken from a query. */
export function bearerOf(request: Request): string | null {
  const match = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '');
  return match?.[1] ?? null;
}
