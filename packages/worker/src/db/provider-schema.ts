import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { user } from './auth-schema.ts';
import { createdAt, updatedAt } from './columns.ts';

/** Providers of models that were added under Settings. */
export const provider = sqliteTable(
  'provider',
  {
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    id: text('id').notNull(),
    kind: text('kind').notNull(),
    name: text('name').notNull(),
    baseUrl: text('base_url').notNull(),
    /** JSON: models, formats and prices. */
    options: text('options').notNull(),
    /** JSON of key and headers, encrypted. */
    sealed: text('sealed').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
);
