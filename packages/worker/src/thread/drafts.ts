import { LIMITS } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';

export type Draft = { id: string; content: string };

/** Texts that may be written at the same time: a viewer that joins gets all of them. */
export const MAX_DRAFTS = 8;

/** A delta adds at most this many characters, of up to three bytes each. */
const MAX_DELTA = LIMITS.draft / 4;

/**
 * Text that is still being written. A draft stops growing at its bound; the finished text is logged whole. Its size
 * is asked for in bytes, since SQLite's functions on characters end at a NUL.
 */
export function addToDraft(sql: Sql, id: string, delta: string): void {
  sql.run(
    `INSERT INTO drafts (id, content) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET content = content || excluded.content WHERE octet_length(content) < ?`,
    id,
    delta.slice(0, MAX_DELTA),
    LIMITS.draft / 4,
  );
}

export function endDraft(sql: Sql, id: string): Draft | null {
  return first<Draft>(sql, 'DELETE FROM drafts WHERE id = ? RETURNING id, content', id);
}

export function readDrafts(sql: Sql): Draft[] {
  return sql.all<Draft>('SELECT id, content FROM drafts ORDER BY rowid');
}

export function takeDrafts(sql: Sql): Draft[] {
  const drafts = readDrafts(sql);
  if (drafts.length > 0) sql.run('DELETE FROM drafts');
  return drafts;
}
