import { env } from 'cloudflare:workers';
import { openDb } from '../../../src/db/client.ts';
import { session, user } from '../../../src/db/auth-schema.ts';

/** Another user who is signed in; gives the headers of that user's requests. */
export async function signInAs(id: string): Promise<{ authorization: string }> {
  const db = openDb(env);
  const token = crypto.randomUUID();
  await db.insert(user).values({ id, name: id, email: `${id}@example.test` });
  await db
    .insert(session)
    .values({ id: token, token, userId: id, expiresAt: new Date(Date.now() + 3_600_000) });
  return { authorization: `Bearer ${token}.${await signature(token)}` };
}

/** The signature that better-auth puts behind the token. */
async function signature(text: string): Promise<string> {
  const encoder = new TextEncoder();
  const secret = encoder.encode(env.FILEPATH_SECRET);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  const bytes = await crypto.subtle.sign('HMAC', key, encoder.encode(text));
  return Buffer.from(bytes).toString('base64');
}
