import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Instance } from '@filepath/testkit';

/** Tokens of so many new users, who are written into the database while the instance stands still. */
export async function addUsers(instance: Instance, count: number): Promise<string[]> {
  await instance.stop();
  const db = database(join(instance.home, 'state'));
  const tokens: string[] = [];
  db.exec('BEGIN');
  for (let at = 0; at < count; at += 1) {
    const token = `fpt_${randomBytes(32).toString('base64url')}`;
    const hash = createHash('sha256').update(token).digest('base64url');
    const user = `bench-${at}`;
    db.prepare('INSERT INTO user (id, name, email) VALUES (?, ?, ?)').run(
      user,
      user,
      `${user}@example.org`,
    );
    db.prepare('INSERT INTO api_token (id, user_id, name, hash, hint) VALUES (?, ?, ?, ?, ?)').run(
      tokenId(at),
      user,
      'bench',
      hash,
      token.slice(-4),
    );
    tokens.push(token);
  }
  db.exec('COMMIT');
  db.close();
  await instance.start();
  return tokens;
}

const tokenId = (at: number): string => `tok_${String(at).padStart(22, '0')}`;

/** The one below the directory that has users in it. */
function database(directory: string): DatabaseSync {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.sqlite'))) {
    const db = new DatabaseSync(join(directory, file));
    const found = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'api_token'`).get();
    if (found !== undefined) return db;
    db.close();
  }
  throw new Error(`there is no database with users below ${directory}`);
}
