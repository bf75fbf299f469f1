import { sql } from 'drizzle-orm';
import { check, index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { user } from './auth-schema.ts';
import { createdAt, timestamp, updatedAt } from './columns.ts';

/** Sessions and nodes as their objects last told them: an index that can be rebuilt, never the truth. */
export const agentSession = sqliteTable(
  'agent_session',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    gitRepoUrl: text('git_repo_url'),
    status: text('status').notNull().default('draft'),
    rootNodeId: text('root_node_id'),
    startedAt: timestamp('started_at'),
    lastBilledAt: timestamp('last_billed_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('agent_session_user_id_idx').on(table.userId, table.updatedAt),
    index('agent_session_status_idx').on(table.status),
  ],
);

export const agentNode = sqliteTable(
  'agent_node',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => agentSession.id, { onDelete: 'cascade' }),
    /** No foreign key: nodes of one tree are written in any order. */
    parentId: text('parent_id'),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    agentType: text('agent_type').notNull(),
    model: text('model').notNull(),
    status: text('status').notNull().default('idle'),
    reason: text('reason'),
    /** JSON, with the values of `envVars` masked. */
    config: text('config').notNull().default('{}'),
    containerId: text('container_id'),
    sortOrder: integer('sort_order').notNull().default(0),
    tokens: integer('tokens').notNull().default(0),
    contextPct: real('context_pct'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('agent_node_session_id_idx').on(table.sessionId),
    index('agent_node_parent_id_idx').on(table.parentId),
    index('agent_node_status_idx').on(table.status),
  ],
);

export const runner = sqliteTable(
  'runner',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    /** JSON: the executors of its last `hello`. */
    executors: text('executors').notNull().default('[]'),
    seenAt: timestamp('seen_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('runner_user_id_idx').on(table.userId)],
);

/** The Ed25519 key that signs this instance's exports, as JWKs. */
export const instanceKey = sqliteTable(
  'instance_key',
  {
    id: integer('id').primaryKey(),
    publicKey: text('public_key').notNull(),
    privateKey: text('private_key').notNull(),
    createdAt: createdAt(),
  },
  (table) => [check('instance_key_one_row', sql`${table.id} = 1`)],
);
