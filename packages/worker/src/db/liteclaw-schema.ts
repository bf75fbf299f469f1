import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, timestamp } from './columns.ts';

/** Who waits for a LiteClaw, and whom the operator let in. */
export const liteclawAccess = sqliteTable('liteclaw_access', {
  /** In lower case. */
  email: text('email').primaryKey(),
  createdAt: createdAt(),
  approvedAt: timestamp('approved_at'),
});
