import type { Device } from '@filepath/protocol';
import { and, desc, eq, gt, ne, sql } from 'drizzle-orm';
import { session } from '../db/auth-schema.ts';
import { openDb } from '../db/client.ts';
import type { Env } from '../env.ts';
import { noteUse } from './last-use.ts';

const MOST = 200;
const USER_AGENT = 512;

type DbEnv = Pick<Env, 'DB'>;

/** Notes that a signed-in browser asked for something. */
export function noteDevice(env: DbEnv, id: string): Promise<void> {
  return noteUse(id, (seenAt) =>
    // Ours alone: `updated_at` is the time by which better-auth extends a sign-in.
    openDb(env)
      .update(session)
      .set({ seenAt, updatedAt: sql`${session.updatedAt}` })
      .where(eq(session.id, id)),
  );
}

/** The browsers in which the user is signed in, the last seen first. `current` is the one that asks. */
export async function listDevices(
  env: DbEnv,
  userId: string,
  current: string | null,
): Promise<Device[]> {
  const seen = sql<number>`coalesce(${session.seenAt}, ${session.createdAt})`;
  const rows = await openDb(env)
    .select({
      id: session.id,
      userAgent: session.userAgent,
      createdAt: session.createdAt,
      expiresAt: session.expiresAt,
      seen,
    })
    .from(session)
    .where(and(eq(session.userId, userId), gt(session.expiresAt, new Date())))
    .orderBy(desc(seen), session.id)
    .limit(MOST);
  return rows.map(({ id, userAgent, createdAt, expiresAt, seen: at }) => ({
    id,
    userAgent: userAgent ? userAgent.slice(0, USER_AGENT) : null,
    createdAt: createdAt.toISOString(),
    seenAt: new Date(at).toISOString(),
    expiresAt: expiresAt.toISOString(),
    current: id === current,
  }));
}

/** Signs a browser out. False: the user has none such. */
export async function endDevice(env: DbEnv, userId: string, id: string): Promise<boolean> {
  const gone = await openDb(env)
    .delete(session)
    .where(and(eq(session.id, id), eq(session.userId, userId)))
    .returning({ id: session.id });
  return gone.length > 0;
}

/** Signs every browser out but the one that asks; says how many. */
export async function endOtherDevices(
  env: DbEnv,
  userId: string,
  current: string | null,
): Promise<number> {
  const gone = await openDb(env)
    .delete(session)
    .where(and(eq(session.userId, userId), ne(session.id, current ?? '')))
    .returning({ id: session.id });
  return gone.length;
}
