import { createHash } from 'node:crypto';
import { newSessionId, newThreadId } from '@filepath/protocol';
import { migrate } from '../../../src/storage/schema.ts';
import type { Sql } from '../../../src/storage/sql.ts';
import type { NewMemory } from '../../../src/user/memory/memory-row.ts';
import { Memories } from '../../../src/user/memory/memories.ts';
import { placeOf, type Sight } from '../../../src/user/memory/sight.ts';
import { USER_MIGRATIONS } from '../../../src/user/schema.ts';
import { nodeSql } from '../support/node-sql.ts';

export const DAY = 24 * 3_600_000;
export const REPO = 'github.com/acme/shop';
export const SECRET = 'sk-canary-0123456789';

export type Store = { memories: Memories; sql: Sql; clock: { now: number } };

export function newStore(): Store {
  const sql = nodeSql();
  migrate(sql, USER_MIGRATIONS);
  const clock = { now: Date.UTC(2026, 2, 1) };
  const memories = new Memories({
    sql,
    now: () => clock.now,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    redact: (text) => text.replaceAll(SECRET, '[redacted]'),
  });
  return { memories, sql, clock };
}

export const newSight = (more: Partial<Sight> = {}): Sight => ({
  thread: newThreadId(),
  session: newSessionId(),
  repository: REPO,
  ...more,
});

/** What the agent that looks from there would store. */
export const byAgent = (
  sight: Sight,
  content: string,
  more: Partial<NewMemory> = {},
): NewMemory => ({
  ...placeOf(sight, more.scope),
  content,
  tags: more.tags ?? [],
  source: {
    by: 'agent',
    name: 'amber-fox',
    session: sight.session,
    thread: sight.thread,
    seq: null,
  },
});

export const byPerson = (content: string, sight: Sight | null = null): NewMemory => ({
  ...(sight === null ? { scope: 'user', key: null, session: null } : placeOf(sight)),
  content,
  tags: [],
  source: { by: 'person' },
});
