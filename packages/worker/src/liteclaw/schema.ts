import { USAGE_DEFINITION } from '../session/ledger/schema.ts';
import { VALUES_TABLE } from '../storage/values.ts';

/** What stands beside the tables of the Agents SDK, whose names begin with `cf_`. */
export const CHAT_MIGRATIONS: readonly (readonly string[])[] = [
  [
    VALUES_TABLE,
    // One row for each message that asks for an answer. outcome: open, ok, error, stopped, interrupted.
    // message: the id of what the person said last. streamed 0: the answer came whole.
    `CREATE TABLE turns (
       request TEXT PRIMARY KEY, message TEXT, at INTEGER NOT NULL, outcome TEXT NOT NULL, code TEXT,
       ttft_ms INTEGER, duration_ms INTEGER, streamed INTEGER NOT NULL DEFAULT 1, model_config_id TEXT NOT NULL)`,
    'CREATE INDEX turns_at ON turns (at)',
    // Open calls of the model, with what each holds of the user's budget.
    `CREATE TABLE calls (
       call TEXT PRIMARY KEY, price TEXT, input_bound INTEGER NOT NULL, output_bound INTEGER NOT NULL,
       held_tokens INTEGER NOT NULL, held_nano INTEGER NOT NULL)`,
    `CREATE TABLE used (one INTEGER PRIMARY KEY CHECK (one = 1), ${USAGE_DEFINITION})`,
    'INSERT INTO used (one) VALUES (1)',
  ],
];
