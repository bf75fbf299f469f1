import { sql } from 'drizzle-orm';
import { integer } from 'drizzle-orm/sqlite-core';

const now = sql`(cast(unixepoch('subsecond') * 1000 as integer))`;

export const timestamp = (name: string) => integer(name, { mode: 'timestamp_ms' });
export const createdAt = () => timestamp('created_at').notNull().default(now);
export const updatedAt = () =>
  timestamp('updated_at')
    .notNull()
    .default(now)
    .$onUpdate(() => new Date());
