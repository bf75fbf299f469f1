import { type Passkey, PasskeyId } from '@filepath/protocol';
import { and, desc, eq } from 'drizzle-orm';
import { openDb } from '../db/client.ts';
import { passkey } from '../db/identity-schema.ts';
import type { Env } from '../env.ts';

/** The newest first. */
export async function listPasskeys(env: Env, userId: string): Promise<Passkey[]> {
  return (await passkeyRows(env, userId)).map(passkeyResource);
}

/** False: the user has none such. */
export async function removePasskey(env: Env, userId: string, id: PasskeyId): Promise<boolean> {
  const gone = await openDb(env)
    .delete(passkey)
    .where(and(eq(passkey.id, id), eq(passkey.userId, userId)))
    .returning({ id: passkey.id });
  return gone.length > 0;
}

export const passkeyRows = (env: Env, userId: string) =>
  openDb(env)
    .select()
    .from(passkey)
    .where(eq(passkey.userId, userId))
    .orderBy(desc(passkey.createdAt), passkey.id);

export function passkeyResource(row: typeof passkey.$inferSelect): Passkey {
  return {
    id: PasskeyId.parse(row.id),
    name: row.name,
    host: row.host,
    synced: row.synced,
    createdAt: row.createdAt.toISOString(),
    usedAt: row.usedAt?.toISOString() ?? null,
  };
}
