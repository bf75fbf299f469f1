import { MEMORY_LIMITS, type MemoryEvent } from '@filepath/protocol';
import type { z } from 'zod';
import type { Sql } from '../storage/sql.ts';
import { putOutbox } from './outbox.ts';

/** What an agent says is worth remembering goes to its session, within the bounds of a memory. */
export function noteMemory(
  sql: Sql,
  { content, scope, tags = [] }: z.infer<typeof MemoryEvent>,
  seq: number,
): void {
  const words = content.trim().slice(0, MEMORY_LIMITS.content);
  if (words === '') return;
  const labels = tags
    .slice(0, MEMORY_LIMITS.tags)
    .map((tag) => tag.trim().slice(0, MEMORY_LIMITS.tag))
    .filter((tag) => tag !== '');
  putOutbox(sql, `memory:${seq}`, {
    kind: 'memory',
    note: { seq, content: words, scope: scope ?? null, tags: labels },
  });
}
