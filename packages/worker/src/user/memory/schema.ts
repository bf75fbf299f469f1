export const MEMORY_TABLES: readonly string[] = [
  // key is '' for scope user; session is the one that a memory goes with, null where it outlives all of them.
  // author is person or agent, and for an agent by_* say which.
  `CREATE TABLE memories (
     n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, key TEXT NOT NULL,
     fingerprint TEXT NOT NULL, content TEXT NOT NULL, tags TEXT NOT NULL, session TEXT, author TEXT NOT NULL,
     by_name TEXT, by_session TEXT, by_thread TEXT, by_seq INTEGER, created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL, uses INTEGER NOT NULL, used_at INTEGER, UNIQUE (scope, key, fingerprint))`,
  'CREATE INDEX memories_by_session ON memories (session)',
  'CREATE INDEX memories_by_time ON memories (updated_at)',
  `CREATE VIRTUAL TABLE memory_words USING fts5(
     content, tags, content='memories', content_rowid='n', tokenize='porter unicode61 remove_diacritics 2')`,
  `CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
     INSERT INTO memory_words (rowid, content, tags) VALUES (new.n, new.content, new.tags);
   END`,
  `CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
     INSERT INTO memory_words (memory_words, rowid, content, tags) VALUES ('delete', old.n, old.content, old.tags);
   END`,
  `CREATE TRIGGER memories_changed AFTER UPDATE OF content, tags ON memories BEGIN
     INSERT INTO memory_words (memory_words, rowid, content, tags) VALUES ('delete', old.n, old.content, old.tags);
     INSERT INTO memory_words (rowid, content, tags) VALUES (new.n, new.content, new.tags);
   END`,
  // Up to where each thread's memories are taken: what is told twice is stored once.
  'CREATE TABLE memory_heads (thread TEXT PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL)',
];

/**
 * The index has the words that `words.ts` makes of a memory, and not its text. A row that was added or changed is marked
 * by `indexed`, and taken up before the next search; what goes, goes from the index with it.
 */
export const MEMORY_INDEX: readonly string[] = [
  'DROP TRIGGER memories_added',
  'DROP TRIGGER memories_removed',
  'DROP TRIGGER memories_changed',
  'DROP TABLE memory_words',
  `CREATE VIRTUAL TABLE memory_index USING fts5(
     content, tags, content='', contentless_delete=1, tokenize='porter ascii')`,
  'ALTER TABLE memories ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0',
  'CREATE INDEX memories_to_index ON memories (n) WHERE indexed = 0',
  `CREATE TRIGGER memories_changed AFTER UPDATE OF content, tags ON memories BEGIN
     UPDATE memories SET indexed = 0 WHERE n = new.n;
   END`,
  `CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
     DELETE FROM memory_index WHERE rowid = old.n;
   END`,
];

const OF_HOSTS = ['github.com', 'gitlab.com', 'bitbucket.org']
  .map((host) => `key LIKE '${host}/%'`)
  .join(' OR ');
const PLAIN_PATH = `rtrim(replace(replace(replace(key || '/', '/./', '/'), '//', '/'), '//', '/'), '/')`;

/**
 * Keys of repositories as `repositoryKey` writes them now. Two with the same words become one. Of a path that was stored
 * before it is not known whether it meant a name with `.git`: `either` is 1, and it is seen under both.
 */
export const MEMORY_KEYS: readonly string[] = [
  'ALTER TABLE memories ADD COLUMN either INTEGER NOT NULL DEFAULT 0',
  `UPDATE OR IGNORE memories SET key = lower(key) WHERE scope = 'repository' AND (${OF_HOSTS})`,
  `DELETE FROM memories WHERE scope = 'repository' AND (${OF_HOSTS}) AND key <> lower(key)`,
  `UPDATE OR IGNORE memories SET key = ${PLAIN_PATH} WHERE scope = 'repository' AND key LIKE '/_%'`,
  `DELETE FROM memories WHERE scope = 'repository' AND key LIKE '/_%' AND key <> ${PLAIN_PATH}`,
  `UPDATE memories SET either = 1 WHERE scope = 'repository' AND key LIKE '/_%'`,
];
