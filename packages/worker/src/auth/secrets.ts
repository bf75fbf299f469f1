import { createHash } from 'node:crypto';

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares in constant time for secrets of one length. A secret that is not set matches nothing. */
export function isSecret(given: string, secret: string | undefined): boolean {
  if (!secret || given.length !== secret.length) return false;
  let differs = 0;
  for (let at = 0; at < secret.length; at += 1)
    differs |= given.charCodeAt(at) ^ secret.charCodeAt(at);
  return differs === 0;
}

/** The token of `Authorization: Bearer …`, or null. Tokens are never taken from a query. */
export function bearerOf(request: Request): string | null {
  const match = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '');
  return match?.[1] ?? null;
}
