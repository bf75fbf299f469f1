import { ALARMS_TABLE } from '../storage/alarms.ts';
import { VALUES_TABLE } from '../storage/values.ts';
import { BRINGING_TABLES, WAITING_TABLES, WORK_COLUMN } from './bringing.ts';
import { LEDGER_TABLES } from './ledger/schema.ts';
import { PARTINGS_TABLES } from './partings.ts';
import { PAUSE_TABLES } from './pauses.ts';
import { STARTS_TABLES } from './starts.ts';
import { RESULT_TABLES } from './results.ts';
import { MEMORY_TABLES } from './memory-notes.ts';
import { WORKERS_TABLES } from './workers-told.ts';

export const SESSION_MIGRATIONS: readonly (readonly string[])[] = [
  [
    VALUES_TABLE,
    ALARMS_TABLE,
    // phase: intent (its thread is not made yet), ready, deleting (its thread still exists), deleted.
    // stale: its thread does not know its newest name, model or configuration yet.
    // halt: null, or the seq of the stop in its thread; 0 while the stop is not delivered.
    `CREATE TABLE nodes (
       id TEXT PRIMARY KEY, parent_id TEXT, name TEXT NOT NULL, slug TEXT NOT NULL, agent_type TEXT NOT NULL,
       model TEXT NOT NULL, config TEXT NOT NULL, api_key TEXT NOT NULL, status TEXT NOT NULL, reason TEXT,
       context_pct REAL, done INTEGER NOT NULL, total INTEGER NOT NULL, sort_order INTEGER NOT NULL,
       tokens INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, change_seq INTEGER NOT NULL,
       thread_seq INTEGER NOT NULL, phase TEXT NOT NULL, stale INTEGER NOT NULL, halt INTEGER, task TEXT,
       spawn_parent TEXT, spawn_seq INTEGER, UNIQUE (spawn_parent, spawn_seq))`,
    'CREATE INDEX nodes_by_change ON nodes (change_seq)',
    // Spawns that were refused, until the parent's thread has it in its log.
    `CREATE TABLE refusals (
       parent TEXT NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL, reason TEXT NOT NULL, told INTEGER NOT NULL,
       PRIMARY KEY (parent, seq))`,
  ],
  // What the workspace of a node is made from, as JSON.
  ['ALTER TABLE nodes ADD COLUMN snapshot TEXT'],
  LEDGER_TABLES,
  [
    ...STARTS_TABLES,
    ...RESULT_TABLES,
    // The agent's own name for a spawn that it asked for by the API.
    'ALTER TABLE nodes ADD COLUMN spawn_key TEXT',
    'CREATE UNIQUE INDEX nodes_by_spawn_key ON nodes (spawn_parent, spawn_key)',
    ...PAUSE_TABLES,
    'CREATE INDEX nodes_by_phase ON nodes (phase)',
    'CREATE INDEX nodes_by_status ON nodes (status, reason)',
    'CREATE INDEX nodes_stale ON nodes (stale) WHERE stale = 1',
    'CREATE INDEX nodes_to_halt ON nodes (halt) WHERE halt = 0',
    'CREATE INDEX refusals_untold ON refusals (told) WHERE told = 0',
    // The seq of the last limit of a provider that its thread told of.
    'ALTER TABLE nodes ADD COLUMN limited INTEGER NOT NULL DEFAULT 0',
    // The accounts that a call was reserved in, where its node has moved since.
    'ALTER TABLE calls ADD COLUMN path TEXT',
    'CREATE INDEX calls_by_node ON calls (node)',
    ...MEMORY_TABLES,
    ...WORKERS_TABLES,
    ...BRINGING_TABLES,
  ],
  [WORK_COLUMN],
  [
    // By what it failed, as JSON, until it goes on or is stopped; whether it is stopped; since when it is blocked.
    'ALTER TABLE nodes ADD COLUMN failed TEXT',
    'ALTER TABLE nodes ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE nodes ADD COLUMN blocked_at TEXT',
    `UPDATE nodes SET failed = json_object('seq', thread_seq, 'reason', reason) WHERE status = 'error'`,
    `UPDATE nodes SET stopped = 1 WHERE reason IN ('stopped', 'stopping')`,
  ],
  WAITING_TABLES,
  PARTINGS_TABLES,
];
