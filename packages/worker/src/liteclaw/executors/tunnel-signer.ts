import { requestClaim } from '@filepath/protocol/sky';
import { z } from 'zod';

const ALGORITHM = { name: 'Ed25519' } as const;

const PrivateJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
});

/** A key for the requests of one tunnel; it is replaced with the token. */
export async function newSigner(): Promise<{ privateJwk: string; publicKey: string }> {
  const { privateKey } = z
    .object({ privateKey: z.instanceof(CryptoKey) })
    .parse(await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']));
  const jwk = PrivateJwk.parse(await crypto.subtle.exportKey('jwk', privateKey));
  return {
    privateJwk: JSON.stringify(jwk),
    publicKey: Buffer.from(jwk.x, 'base64url').toString('base64'),
  };
}

export async function signRequest(privateJwk: string, request: string): Promise<string> {
  const jwk = PrivateJwk.parse(JSON.parse(privateJwk));
  const key = await crypto.subtle.importKey('jwk', jwk, ALGORITHM, false, ['sign']);
  const claim = new TextEncoder().encode(requestClaim(request));
  return Buffer.from(await crypto.subtle.sign(ALGORITHM, key, claim)).toString('base64');
}
