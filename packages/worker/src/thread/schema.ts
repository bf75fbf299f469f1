import { ALARMS_TABLE } from '../storage/alarms.ts';
import { VALUES_TABLE } from '../storage/values.ts';

export const THREAD_MIGRATIONS: readonly (readonly string[])[] = [
  [
    VALUES_TABLE,
    ALARMS_TABLE,
    // json is the whole event as feeds send it: what is stored once is not built again for each reader.
    'CREATE TABLE log (seq INTEGER PRIMARY KEY, source TEXT NOT NULL, json TEXT NOT NULL)',
    `CREATE TABLE runs (
       run TEXT PRIMARY KEY, started_seq INTEGER NOT NULL, started_at TEXT NOT NULL, input_hash TEXT NOT NULL,
       ended_seq INTEGER, ended_at TEXT, outcome TEXT)`,
    // seq: the event that the receipt is about the end of.
    'CREATE TABLE receipts (id INTEGER PRIMARY KEY, run TEXT, seq INTEGER NOT NULL, body TEXT NOT NULL)',
    `CREATE TABLE steps (
       key TEXT PRIMARY KEY, step TEXT NOT NULL, at INTEGER NOT NULL, args_hash TEXT NOT NULL)`,
    'CREATE TABLE drafts (id TEXT PRIMARY KEY, content TEXT NOT NULL)',
    `CREATE TABLE inputs (
       epoch INTEGER NOT NULL, id INTEGER NOT NULL, line TEXT NOT NULL, written INTEGER NOT NULL DEFAULT 0,
       PRIMARY KEY (epoch, id))`,
    'CREATE TABLE keys (key TEXT PRIMARY KEY, seq INTEGER NOT NULL)',
    `CREATE TABLE outbox (
       id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, payload TEXT NOT NULL)`,
  ],
  [
    `CREATE TABLE jobs (
       id TEXT PRIMARY KEY, type TEXT NOT NULL, at INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0)`,
  ],
  [
    // What an agent has asked: in which epoch, and where in the log it and its answer are.
    `CREATE TABLE questions (
       id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, answer INTEGER)`,
  ],
  [
    // Messages that wait for the end of the open run, in the order of their seq.
    `CREATE TABLE queue (
       id TEXT PRIMARY KEY, seq INTEGER NOT NULL, at TEXT NOT NULL, content TEXT NOT NULL, bytes INTEGER NOT NULL)`,
  ],
  [
    // Files that a person gave for messages. Their bytes are in the blob store.
    `CREATE TABLE files (sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL, type TEXT NOT NULL)`,
    // JSON of the files of a message that waits.
    'ALTER TABLE queue ADD COLUMN attachments TEXT',
  ],
];

/** Emptied when a thread is deleted; what remains says that it was. */
export const CONTENT_TABLES = [
  'log',
  'runs',
  'receipts',
  'steps',
  'drafts',
  'inputs',
  'keys',
  'jobs',
  'questions',
  'queue',
  'files',
] as const;
