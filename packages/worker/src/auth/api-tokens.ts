import {
  type ApiToken,
  FilepathError,
  newTokenId,
  TOKEN_DAYS,
  type TokenCreate,
  type TokenCreated,
  TokenId,
} from '@filepath/protocol';
import { and, count, desc, eq } from 'drizzle-orm';
import { openDb } from '../db/client.ts';
import { apiToken } from '../db/identity-schema.ts';
import type { Env } from '../env.ts';
import { learnSecrets } from './known-secrets.ts';
import { noteUse } from './last-use.ts';
import { sha256 } from './secrets.ts';

const PREFIX = 'fpt_';
const MOST = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

type DbEnv = Pick<Env, 'DB'>;

const hashOf = (secret: string): string => sha256(secret).toString('base64url');

export const isApiToken = (bearer: string): boolean => bearer.startsWith(PREFIX);

/** Whose token this is; null if there is none such, or its time is over. */
export async function userOfToken(env: DbEnv, secret: string): Promise<string | null> {
  const db = openDb(env);
  const { id, userId, expiresAt } = apiToken;
  const row = await db
    .select({ id, userId, expiresAt })
    .from(apiToken)
    .where(eq(apiToken.hash, hashOf(secret)))
    .get();
  if (!row || (row.expiresAt !== null && row.expiresAt.getTime() <= Date.now())) return null;
  learnSecrets([secret]);
  await noteUse(row.id, (usedAt) => db.update(apiToken).set({ usedAt }).where(eq(id, row.id)));
  return row.userId;
}

export async function createToken(
  env: DbEnv,
  userId: string,
  { name, expiresInDays = TOKEN_DAYS.usual }: TokenCreate,
): Promise<TokenCreated> {
  const db = openDb(env);
  const held = await db
    .select({ n: count() })
    .from(apiToken)
    .where(eq(apiToken.userId, userId))
    .get();
  if ((held?.n ?? 0) >= MOST)
    throw new FilepathError('cap_reached', `There are ${MOST} tokens: revoke some of them first.`);
  const random = crypto.getRandomValues(new Uint8Array(32));
  const secret = `${PREFIX}${Buffer.from(random).toString('base64url')}`;
  const now = Date.now();
  const row = {
    id: newTokenId(),
    userId,
    name,
    hash: hashOf(secret),
    hint: secret.slice(-4),
    createdAt: new Date(now),
    expiresAt: expiresInDays === null ? null : new Date(now + expiresInDays * DAY_MS),
    usedAt: null,
  };
  await db.insert(apiToken).values(row);
  learnSecrets([secret]);
  return { token: resourceOf(row), secret };
}

/** The newest first. */
export async function listTokens(env: DbEnv, userId: string): Promise<ApiToken[]> {
  const rows = await openDb(env)
    .select()
    .from(apiToken)
    .where(eq(apiToken.userId, userId))
    .orderBy(desc(apiToken.createdAt), apiToken.id);
  return rows.map(resourceOf);
}

/** False: the user has no such token. */
export async function revokeToken(env: DbEnv, userId: string, id: TokenId): Promise<boolean> {
  const gone = await openDb(env)
    .delete(apiToken)
    .where(and(eq(apiToken.id, id), eq(apiToken.userId, userId)))
    .returning({ id: apiToken.id });
  return gone.length > 0;
}

function resourceOf(row: typeof apiToken.$inferSelect): ApiToken {
  return {
    id: TokenId.parse(row.id),
    name: row.name,
    hint: row.hint,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    usedAt: row.usedAt?.toISOString() ?? null,
  };
}
