/** What was used: the same columns in a session's accounts and in a user's leases. */
export const USAGE_COLUMNS = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'reasoning',
  'nano',
  'calls',
  'estimated',
  'unpriced',
] as const;

export const USAGE_DEFINITION = USAGE_COLUMNS.map(
  (column) => `${column} INTEGER NOT NULL DEFAULT 0`,
).join(', ');

export const LEDGER_TABLES: readonly string[] = [
  // The hash of a node's key; `api_key` itself is there only until its thread has it.
  'ALTER TABLE nodes ADD COLUMN key_hash TEXT',
  // Why its last call was refused for want of budget.
  'ALTER TABLE nodes ADD COLUMN blocked TEXT',
  // scope: `th_…` for a node and all below it, `own:th_…` for the node alone, `session`.
  // limit_*: null where there is no budget. held_*: reserved by open calls. dirty: viewers do not have it yet.
  // nano: billionths of a dollar.
  `CREATE TABLE accounts (
     scope TEXT PRIMARY KEY, limit_tokens INTEGER, limit_nano INTEGER,
     held_tokens INTEGER NOT NULL DEFAULT 0, held_nano INTEGER NOT NULL DEFAULT 0, ${USAGE_DEFINITION},
     dirty INTEGER NOT NULL DEFAULT 0)`,
  'CREATE INDEX accounts_dirty ON accounts (dirty) WHERE dirty = 1',
  `INSERT INTO accounts (scope) VALUES ('session')`,
  `INSERT INTO accounts (scope) SELECT id FROM nodes UNION ALL SELECT 'own:' || id FROM nodes`,
  // state: open, estimated (settled at its worst case), counted (settled for good).
  // until: of an open call, when it settles at its worst case; of another, when it is forgotten.
  // charged: what it was settled with, as JSON.
  `CREATE TABLE calls (
     call TEXT PRIMARY KEY, node TEXT NOT NULL, state TEXT NOT NULL, until INTEGER NOT NULL, started INTEGER NOT NULL,
     format TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, price TEXT, input_bound INTEGER NOT NULL,
     output_bound INTEGER NOT NULL, held_tokens INTEGER NOT NULL, held_nano INTEGER NOT NULL,
     charged TEXT)`,
  'CREATE INDEX calls_by_state ON calls (state, until)',
  // What is still to be told to threads.
  `CREATE TABLE call_events (
     id INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL)`,
  // Refusals that repeat: those since the last that was told, and until when they are only counted.
  `CREATE TABLE repeats (
     node TEXT NOT NULL, code TEXT NOT NULL, scope TEXT NOT NULL, until INTEGER NOT NULL, span INTEGER NOT NULL,
     count INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (node, code, scope))`,
];
