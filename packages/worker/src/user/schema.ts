import { USAGE_DEFINITION } from '../session/ledger/schema.ts';
import { LEFT_TABLE } from './left-alone.ts';
import { MEMORY_INDEX, MEMORY_KEYS, MEMORY_TABLES } from './memory/schema.ts';
import { VALUES_TABLE } from '../storage/values.ts';

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
  [
    ...MEMORY_TABLES,
    VALUES_TABLE,
    'DROP TABLE attention',
    // What waits for the person; open 0: it waits no more.
    `CREATE TABLE waiting (
       id TEXT PRIMARY KEY, seq INTEGER NOT NULL UNIQUE, open INTEGER NOT NULL, choice TEXT, mark TEXT NOT NULL,
       kind TEXT NOT NULL, thread TEXT NOT NULL, session TEXT NOT NULL, session_name TEXT NOT NULL, name TEXT NOT NULL,
       why TEXT NOT NULL, choices TEXT NOT NULL, hash TEXT, at TEXT NOT NULL, question TEXT, equal TEXT,
       agent_type TEXT, repository TEXT)`,
    'CREATE INDEX waiting_session ON waiting (session, open)',
    'CREATE INDEX waiting_thread ON waiting (thread, open)',
    'CREATE TABLE session_names (session TEXT PRIMARY KEY, name TEXT NOT NULL)',
    // seq: of the last word of a thread on what it asks.
    'CREATE TABLE asked (thread TEXT PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL)',
    `CREATE TABLE rules (
       id TEXT PRIMARY KEY, scope TEXT NOT NULL, of TEXT NOT NULL, session TEXT NOT NULL, agent_type TEXT NOT NULL,
       equal TEXT NOT NULL, prompt TEXT NOT NULL, hash TEXT, choice TEXT NOT NULL, at TEXT NOT NULL,
       UNIQUE (scope, of, agent_type, equal))`,
  ],
  MEMORY_INDEX,
  MEMORY_KEYS,
  [LEFT_TABLE],
];
