import { USAGE_DEFINITION } from '../session/ledger/schema.ts';
import { VALUES_TABLE } from '../storage/values.ts';
import { FILES_TABLE } from './files/chat-files.ts';
import { STORED_TABLE } from './tools/stored.ts';
import { WORKSPACE_TABLES } from './tools/workspace.ts';

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
  [
    // The log of the chat, as threads have it.
    'CREATE TABLE log (seq INTEGER PRIMARY KEY, source TEXT NOT NULL, json TEXT NOT NULL)',
    `CREATE TABLE runs (
       run TEXT PRIMARY KEY, request TEXT NOT NULL, message TEXT, started_seq INTEGER NOT NULL, started_at TEXT NOT NULL,
       input_hash TEXT NOT NULL, model_config_id TEXT NOT NULL, ended_seq INTEGER, ended_at TEXT, outcome TEXT,
       error_code TEXT)`,
    'CREATE INDEX runs_message ON runs (message, started_seq)',
    // seq: the event that the receipt is about the end of.
    'CREATE TABLE receipts (id INTEGER PRIMARY KEY, run TEXT, seq INTEGER NOT NULL, body TEXT NOT NULL)',
    // Every message, also those that the SDK dropped, and the words of each.
    `CREATE TABLE said (
       n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, run TEXT, at TEXT NOT NULL, json TEXT NOT NULL)`,
    `CREATE VIRTUAL TABLE said_words USING fts5(
       text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`,
    // Lines of an import until all of it was read.
    'CREATE TABLE staged (n INTEGER PRIMARY KEY, type TEXT NOT NULL, json TEXT NOT NULL)',
  ],
  // What its tools keep.
  [...WORKSPACE_TABLES, STORED_TABLE],
  // What was given with its messages.
  [FILES_TABLE],
];
