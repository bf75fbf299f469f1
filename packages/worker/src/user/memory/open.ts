import { liveRedactor } from '../../auth/redact.ts';
import type { Env } from '../../env.ts';
import { nodeHashing } from '../../thread/node-hashing.ts';
import type { Sql } from '../../storage/sql.ts';
import { Memories } from './memories.ts';

/** The memories of a user's object. */
export function openMemories(sql: Sql, env: Env): Memories {
  return new Memories({
    sql,
    now: Date.now,
    sha256: nodeHashing.sha256,
    redact: liveRedactor(env),
  });
}
