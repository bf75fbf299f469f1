import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { user } from './auth-schema.ts';
import { createdAt, timestamp } from './columns.ts';

/** Tokens that people made for programs, by their hash: what is here opens nothing. */
export const apiToken = sqliteTable(
  'api_token',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    hash: text('hash').notNull().unique(),
    /** Its last four characters. */
    hint: text('hint').notNull(),
    createdAt: createdAt(),
    expiresAt: timestamp('expires_at'),
    usedAt: timestamp('used_at'),
  },
  (table) => [index('api_token_user_id_idx').on(table.userId)],
);

export const passkey = sqliteTable(
  'passkey',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** The host name that it is bound to. */
    host: text('host').notNull(),
    /** As the authenticator names it, base64url. */
    credentialId: text('credential_id').notNull().unique(),
    /** COSE, base64url. */
    publicKey: text('public_key').notNull(),
    counter: integer('counter').notNull(),
    /** JSON: ways in which the browser reaches it. */
    transports: text('transports').notNull().default('[]'),
    synced: integer('synced', { mode: 'boolean' }).notNull(),
    createdAt: createdAt(),
    usedAt: timestamp('used_at'),
  },
  (table) => [index('passkey_user_id_idx').on(table.userId)],
);
