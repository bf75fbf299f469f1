import {
  FilepathError,
  newPasskeyId,
  type Passkey,
  type PasskeyCreate,
  type PasskeySignIn,
} from '@filepath/protocol';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { verification } from '../db/auth-schema.ts';
import { openDb } from '../db/client.ts';
import { passkey } from '../db/identity-schema.ts';
import type { Env } from '../env.ts';
import { isChallenge, newChallenge } from './passkey-challenge.ts';
import { passkeyRows, passkeyResource } from './passkey-table.ts';
import { sha256 } from './secrets.ts';

const MOST = 50;
/** A challenge that was answered is remembered for longer than it can be answered. */
const SPENT_MS = 10 * 60 * 1000;
const Transports = z.array(z.string());

type Place = { readonly env: Env; readonly origin: string };

/** Loaded with the first passkey: starting without it is faster. */
const webauthn = () => import('@simplewebauthn/server');

export async function registrationOptions({ env, origin }: Place, userId: string) {
  const { generateRegistrationOptions } = await webauthn();
  const rpID = hostOf(origin);
  const own = await passkeyRows(env, userId);
  if (own.length >= MOST)
    throw new FilepathError('cap_reached', `There are ${MOST} passkeys: remove some first.`);
  return generateRegistrationOptions({
    rpName: 'filepath',
    rpID,
    userName: userId,
    userID: new Uint8Array(Buffer.from(userId)),
    challenge: newChallenge({ secret: env.FILEPATH_SECRET, use: `register ${userId}`, origin }),
    attestationType: 'none',
    excludeCredentials: own
      .filter(({ host }) => host === rpID)
      .map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: Transports.parse(JSON.parse(transports)),
      })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

export async function register(
  { env, origin }: Place,
  userId: string,
  { name, credential }: PasskeyCreate,
): Promise<Passkey> {
  const { verifyRegistrationResponse } = await webauthn();
  const purpose = { secret: env.FILEPATH_SECRET, use: `register ${userId}`, origin };
  type Given = Parameters<typeof verifyRegistrationResponse>[0]['response'];
  const result = await verifyRegistrationResponse({
    response: credential as Given,
    expectedChallenge: (challenge) => isChallenge(purpose, challenge),
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
    requireUserVerification: true,
  }).catch(() => null);
  if (!result?.verified)
    throw new FilepathError('bad_request', 'This passkey could not be verified. Begin again.');
  const { registrationInfo: info } = result;
  const row = {
    id: newPasskeyId(),
    userId,
    name,
    host: hostOf(origin),
    credentialId: info.credential.id,
    publicKey: Buffer.from(info.credential.publicKey).toString('base64url'),
    counter: info.credential.counter,
    transports: JSON.stringify(credential.response.transports ?? []),
    synced: info.credentialBackedUp,
    createdAt: new Date(),
    usedAt: null,
  };
  const stored = await openDb(env)
    .insert(passkey)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: passkey.id });
  if (stored.length === 0) throw new FilepathError('conflict', 'This passkey is registered here.');
  return passkeyResource(row);
}

export async function signInOptions({ env, origin }: Place) {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: hostOf(origin),
    challenge: newChallenge({ secret: env.FILEPATH_SECRET, use: 'sign-in', origin }),
    userVerification: 'required',
  });
}

/** Whose passkey answered a challenge of ours; null if it is none, or the challenge was answered before. */
export async function userOfPasskey(
  { env, origin }: Place,
  { credential }: PasskeySignIn,
): Promise<string | null> {
  const db = openDb(env);
  const row = await db.select().from(passkey).where(eq(passkey.credentialId, credential.id)).get();
  if (!row) return null;
  const { verifyAuthenticationResponse } = await webauthn();
  const purpose = { secret: env.FILEPATH_SECRET, use: 'sign-in', origin };
  let answered = '';
  type Given = Parameters<typeof verifyAuthenticationResponse>[0]['response'];
  const result = await verifyAuthenticationResponse({
    response: credential as Given,
    expectedChallenge: (challenge) => {
      answered = challenge;
      return isChallenge(purpose, challenge);
    },
    expectedOrigin: origin,
    expectedRPID: hostOf(origin),
    requireUserVerification: true,
    credential: {
      id: row.credentialId,
      publicKey: new Uint8Array(Buffer.from(row.publicKey, 'base64url')),
      counter: row.counter,
    },
  }).catch(() => null);
  if (!result?.verified || !(await spend(env, answered))) return null;
  await db
    .update(passkey)
    .set({ counter: result.authenticationInfo.newCounter, usedAt: new Date() })
    .where(eq(passkey.id, row.id));
  return row.userId;
}

/** True for the first who answers a challenge: the row's key is the challenge's. */
async function spend(env: Env, challenge: string): Promise<boolean> {
  const id = `passkey:${sha256(challenge).toString('base64url')}`;
  const taken = await openDb(env)
    .insert(verification)
    .values({ id, identifier: id, value: 'spent', expiresAt: new Date(Date.now() + SPENT_MS) })
    .onConflictDoNothing()
    .returning({ id: verification.id });
  return taken.length > 0;
}

/** Passkeys are bound to a name; browsers make none for the address of a machine. */
function hostOf(origin: string): string {
  const { hostname, protocol } = new URL(origin);
  const numeric = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  if (numeric || (protocol !== 'https:' && hostname !== 'localhost'))
    throw new FilepathError(
      'conflict',
      'Passkeys work under https, or as http://localhost. Open filepath under such an address.',
    );
  return hostname;
}
