import { VALUES_TABLE } from '../storage/values.ts';

export const RUNNER_MIGRATIONS: readonly (readonly string[])[] = [
  [
    VALUES_TABLE,
    // An order that is taken keeps its key, so that it is not given twice, and loses its body, which holds secrets.
    `CREATE TABLE orders (
       id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, body TEXT, at INTEGER NOT NULL)`,
  ],
];
