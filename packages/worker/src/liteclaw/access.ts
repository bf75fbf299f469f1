import { eq, sql } from 'drizzle-orm';
import type { Env } from '../env.ts';
import { user } from '../db/auth-schema.ts';
import { openDb } from '../db/client.ts';
import { liteclawAccess } from '../db/liteclaw-schema.ts';
import { allowedEmails } from './settings.ts';

/** `since`: when they joined the waitlist. */
export type LiteclawAccess = { readonly allowed: boolean; readonly since: Date | null };

/** Whether a user may have a LiteClaw. Where the operator named nobody and set no secret, every user may. */
export async function accessOf(env: Env, userId: string): Promise<LiteclawAccess> {
  const emails = allowedEmails(env);
  if (emails === null) return { allowed: true, since: null };
  const email = await emailOf(env, userId);
  if (email === null) return { allowed: false, since: null };
  if (emails.has(email)) return { allowed: true, since: null };
  const rows = await openDb(env)
    .select()
    .from(liteclawAccess)
    .where(eq(liteclawAccess.email, email));
  const [row] = rows;
  if (!row) return { allowed: false, since: null };
  return { allowed: row.approvedAt !== null, since: row.createdAt };
}

export async function joinWaitlist(env: Env, userId: string): Promise<void> {
  const email = await emailOf(env, userId);
  if (email !== null)
    await openDb(env).insert(liteclawAccess).values({ email }).onConflictDoNothing();
}

/** Lets somebody in, whether they wait or not. */
export async function approve(env: Env, email: string): Promise<void> {
  const approvedAt = new Date();
  await openDb(env)
    .insert(liteclawAccess)
    .values({ email: email.toLowerCase(), approvedAt })
    .onConflictDoUpdate({
      target: liteclawAccess.email,
      set: { approvedAt: sql`coalesce(${liteclawAccess.approvedAt}, excluded.approved_at)` },
    });
}

async function emailOf(env: Env, userId: string): Promise<string | null> {
  const rows = await openDb(env)
    .select({ email: user.email })
    .from(user)
    .where(eq(user.id, userId));
  return rows[0]?.email.toLowerCase() ?? null;
}
