export const USER_MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE attention (
       thread TEXT PRIMARY KEY, session TEXT NOT NULL, session_name TEXT NOT NULL, name TEXT NOT NULL,
       status TEXT NOT NULL, reason TEXT, at TEXT NOT NULL)`,
  ],
];
