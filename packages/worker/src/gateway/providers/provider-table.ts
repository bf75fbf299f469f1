import { FilepathError, ModelPrice, type ProviderCreate, ProviderKind } from '@filepath/protocol';
import { and, count, eq, ne } from 'drizzle-orm';
import { z } from 'zod';
import { openDb } from '../../db/client.ts';
import { provider as table } from '../../db/provider-schema.ts';
import type { Env } from '../../env.ts';
import { formatsOf, KINDS } from './kinds.ts';
import type { ProviderConfig } from './provider.ts';
import { seal, unseal } from './sealed.ts';

const MAX_PROVIDERS = 32;

type TableEnv = Pick<Env, 'DB' | 'FILEPATH_SECRET'>;
type Row = typeof table.$inferSelect;

const Secret = z.object({ key: z.string().nullable(), headers: z.record(z.string(), z.string()) });
const Options = z.object({
  models: z.array(z.string()),
  responses: z.boolean(),
  free: z.boolean(),
  prices: z.record(z.string(), ModelPrice),
});

/** A provider of the settings, or what is left of one whose key cannot be read any more. */
export type StoredProvider = { readonly config: ProviderConfig; readonly readable: boolean };

/** What a sealed key is bound to: it can be used for this row's owner, kind and URL, and nothing else. */
const boundTo = (row: Pick<Row, 'userId' | 'id' | 'kind' | 'baseUrl'>): string[] => [
  'provider',
  row.userId,
  row.id,
  row.kind,
  row.baseUrl,
];

export async function readProviders(env: TableEnv, userId: string): Promise<StoredProvider[]> {
  const rows = await openDb(env)
    .select()
    .from(table)
    .where(eq(table.userId, userId))
    .orderBy(table.createdAt, table.id)
    .limit(MAX_PROVIDERS);
  return Promise.all(rows.map((row) => openRow(env, row)));
}

/** Writes a provider; one with the same id is replaced. */
export async function writeProvider(
  env: TableEnv,
  userId: string,
  create: ProviderCreate,
): Promise<void> {
  const { kind } = create;
  const id = create.id ?? kind;
  const baseUrl = (create.baseUrl ?? KINDS[kind].baseUrl ?? '').replace(/\/+$/, '');
  const place = { userId, id, kind, baseUrl };
  const db = openDb(env);
  const [others] = await db
    .select({ count: count() })
    .from(table)
    .where(and(eq(table.userId, userId), ne(table.id, id)));
  if ((others?.count ?? 0) >= MAX_PROVIDERS)
    throw new FilepathError(
      'cap_reached',
      `There are ${MAX_PROVIDERS} providers already. Remove one first.`,
    );
  const secret = await secretOf(env, place, create);
  const options: z.infer<typeof Options> = {
    models: create.models ?? [],
    responses: create.responses ?? false,
    free: create.free ?? false,
    prices: create.prices ?? {},
  };
  const row = {
    name: create.name ?? KINDS[kind].name,
    kind,
    baseUrl,
    options: JSON.stringify(options),
    sealed: await seal(env.FILEPATH_SECRET, JSON.stringify(secret), boundTo(place)),
    updatedAt: new Date(),
  };
  await db
    .insert(table)
    .values({ ...row, userId, id })
    .onConflictDoUpdate({ target: [table.userId, table.id], set: row });
}

export async function deleteProvider(env: TableEnv, userId: string, id: string): Promise<boolean> {
  const gone = await openDb(env)
    .delete(table)
    .where(and(eq(table.userId, userId), eq(table.id, id)))
    .returning({ id: table.id });
  return gone.length > 0;
}

/** The key that was given, or the one of the provider that is replaced: it goes to no other kind or URL. */
async function secretOf(
  env: TableEnv,
  place: Pick<Row, 'userId' | 'id' | 'kind' | 'baseUrl'>,
  create: ProviderCreate,
): Promise<z.infer<typeof Secret>> {
  const kept =
    create.key === undefined || create.headers === undefined ? await keptSecret(env, place) : null;
  const key = create.key ?? kept?.key ?? null;
  if (key === null && KINDS[create.kind].needsKey)
    throw new FilepathError(
      'bad_request',
      `${KINDS[create.kind].name} needs a key. A new URL or kind needs it again.`,
      [{ path: 'key', reason: 'expected the key of this provider' }],
    );
  return { key, headers: create.headers ?? kept?.headers ?? {} };
}

async function keptSecret(
  env: TableEnv,
  place: Pick<Row, 'userId' | 'id' | 'kind' | 'baseUrl'>,
): Promise<z.infer<typeof Secret> | null> {
  const [row] = await openDb(env)
    .select()
    .from(table)
    .where(and(eq(table.userId, place.userId), eq(table.id, place.id)))
    .limit(1);
  return row ? open(env, { ...place, sealed: row.sealed }) : null;
}

async function open(
  env: TableEnv,
  row: Pick<Row, 'userId' | 'id' | 'kind' | 'baseUrl' | 'sealed'>,
): Promise<z.infer<typeof Secret> | null> {
  const text = await unseal(env.FILEPATH_SECRET, row.sealed, boundTo(row));
  return text === null ? null : Secret.parse(JSON.parse(text));
}

async function openRow(env: TableEnv, row: Row): Promise<StoredProvider> {
  const kind = ProviderKind.parse(row.kind);
  const { responses, ...options } = Options.parse(JSON.parse(row.options));
  const secret = await open(env, row);
  return {
    readable: secret !== null,
    config: {
      id: row.id,
      kind,
      name: row.name,
      source: 'settings',
      baseUrl: row.baseUrl,
      key: secret?.key ?? null,
      headers: secret?.headers ?? {},
      formats: formatsOf(kind, responses),
      ...options,
    },
  };
}
