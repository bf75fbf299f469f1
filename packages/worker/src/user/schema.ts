import { USAGE_DEFINITION } from '../session/ledger/schema.ts';
import { MEMORY_TABLES } from './memory/schema.ts';

export const USER_MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE attention (
       thread TEXT PRIMARY KEY, session TEXT NOT NULL, session_name TEXT NOT NULL, name TEXT NOT NULL,
       status TEXT NOT NULL, reason TEXT, at TEXT NOT NULL)`,
  ],
  [
    'CREATE TABLE budget (tokens INTEGER, usd REAL)',
    // active: the session may use up to limit_* without asking. taken_*: used and reserved, as it last said.
    `CREATE TABLE leases (
       session TEXT PRIMARY KEY, n INTEGER NOT NULL, active INTEGER NOT NULL, limit_tokens INTEGER, limit_nano INTEGER,
       taken_tokens INTEGER NOT NULL, taken_nano INTEGER NOT NULL, ${USAGE_DEFINITION})`,
  ],
  MEMORY_TABLES,
];
