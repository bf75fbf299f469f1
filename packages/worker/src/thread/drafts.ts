import { LIMITS } from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';

export type Draft = { id: string; content: string };

/** Text that is still being written. A draft stops growing at its bound; the finished text is logged whole. */
export function addToDraft(sql: Sql, id: string, delta: string): void {
  sql.run(
    `INSERT INTO drafts (id, content) VALUES (?, substr(?, 1, ?))
     ON CONFLICT (id) DO UPDATE SET content = substr(content || excluded.content, 1, ?)`,
    id,
    delta,
    LIMITS.draft / 4,
    LIMITS.draft / 4,
  );
}

export function endDraft(sql: Sql, id: string): void {
  sql.run('DELETE FROM drafts WHERE id = ?', id);
}

export function readDrafts(sql: Sql): Draft[] {
  return sql.all<Draft>('SELECT id, content FROM drafts ORDER BY rowid');
}

export function takeDrafts(sql: Sql): Draft[] {
  const drafts = readDrafts(sql);
  if (drafts.length > 0) sql.run('DELETE FROM drafts');
  return drafts;
}
