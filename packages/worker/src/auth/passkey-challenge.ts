import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Long enough to find the right finger. */
const LIFETIME_MS = 5 * 60 * 1000;
const NONCE = 16;
const EXPIRY = 8;
const MAC = 32;

/** What a challenge is for: nothing else takes its answer. */
type Purpose = {
  readonly secret: string;
  /** `sign-in`, or `register` with the user's id. */
  readonly use: string;
  readonly origin: string;
};

/**
 * Challenges are signed instead of stored, so that asking for one without a sign-in writes nothing. That each is
 * answered once is up to whoever takes the answer.
 */
export function newChallenge(purpose: Purpose): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(NONCE + EXPIRY);
  head.set(crypto.getRandomValues(new Uint8Array(NONCE)));
  head.writeBigUInt64BE(BigInt(Date.now() + LIFETIME_MS), NONCE);
  return new Uint8Array(Buffer.concat([head, macOf(purpose, head)]));
}

/** Whether a challenge, as base64url, is ours, for this purpose, and in time. */
export function isChallenge(purpose: Purpose, text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== NONCE + EXPIRY + MAC) return false;
  const head = bytes.subarray(0, NONCE + EXPIRY);
  if (!timingSafeEqual(macOf(purpose, head), bytes.subarray(NONCE + EXPIRY))) return false;
  return Number(head.readBigUInt64BE(NONCE)) > Date.now();
}

function macOf({ secret, use, origin }: Purpose, head: Uint8Array): Buffer {
  if (secret === '') throw new Error('FILEPATH_SECRET is not set: nothing can be signed.');
  const key = hkdfSync('sha256', secret, 'filepath', 'filepath passkey challenges v1', MAC);
  return createHmac('sha256', Buffer.from(key))
    .update(JSON.stringify([use, origin]))
    .update(head)
    .digest();
}
