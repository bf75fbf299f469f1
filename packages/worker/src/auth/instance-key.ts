import { z } from 'zod';
import { type Db, openDb } from '../db/client.ts';
import { instanceKey } from '../db/index-schema.ts';
import type { Env } from '../env.ts';

const ALGORITHM = { name: 'Ed25519' } as const;

const PrivateJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
});

/** Signs with this instance's key. The public key is its 32 raw bytes; both are base64. */
export async function signExport(
  env: Pick<Env, 'DB'>,
  claim: string,
): Promise<{ publicKey: string; signature: string }> {
  const jwk = await privateKey(openDb(env));
  const key = await crypto.subtle.importKey('jwk', jwk, ALGORITHM, false, ['sign']);
  const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(claim));
  return {
    publicKey: Buffer.from(jwk.x, 'base64url').toString('base64'),
    signature: Buffer.from(signature).toString('base64'),
  };
}

async function privateKey(db: Db): Promise<z.infer<typeof PrivateJwk>> {
  return (await storedKey(db)) ?? (await createKey(db));
}

async function storedKey(db: Db): Promise<z.infer<typeof PrivateJwk> | null> {
  const row = await db.select({ jwk: instanceKey.privateKey }).from(instanceKey).get();
  return row ? PrivateJwk.parse(JSON.parse(row.jwk)) : null;
}

/** Of several that create it at once, the first row stays and all of them use it. */
async function createKey(db: Db): Promise<z.infer<typeof PrivateJwk>> {
  const pair = z
    .object({ publicKey: z.instanceof(CryptoKey), privateKey: z.instanceof(CryptoKey) })
    .parse(await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']));
  await db
    .insert(instanceKey)
    .values({
      id: 1,
      publicKey: JSON.stringify(await crypto.subtle.exportKey('jwk', pair.publicKey)),
      privateKey: JSON.stringify(await crypto.subtle.exportKey('jwk', pair.privateKey)),
    })
    .onConflictDoNothing();
  const stored = await storedKey(db);
  if (!stored)
    throw new Error('The instance key was written and is not there: check the database.');
  return stored;
}
