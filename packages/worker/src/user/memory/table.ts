import { MEMORY_LIMITS, newMemoryId } from '@filepath/protocol';
import { notFound } from '../../result.ts';
import { first, type Sql } from '../../storage/sql.ts';
import { authorOf, type MemoryRow, type NewMemory, toMemory } from './memory-row.ts';

/** The rows. Two with the same scope, key and fingerprint are one. */
export class MemoryTable {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  row(id: string): MemoryRow {
    const row = first<MemoryRow>(this.#sql, 'SELECT * FROM memories WHERE id = ?', id);
    if (!row) throw notFound('this memory');
    return row;
  }

  same(scope: string, key: string, fingerprint: string): MemoryRow | null {
    return first<MemoryRow>(
      this.#sql,
      'SELECT * FROM memories WHERE scope = ? AND key = ? AND fingerprint = ?',
      scope,
      key,
      fingerprint,
    );
  }

  insert(memory: NewMemory, fingerprint: string, at: number): MemoryRow {
    const id = newMemoryId();
    const { author, by_name, by_session, by_thread, by_seq } = authorOf(memory.source);
    this.#sql.run(
      `INSERT INTO memories (id, scope, key, fingerprint, content, tags, session, author, by_name, by_session,
         by_thread, by_seq, created_at, updated_at, uses) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
      id,
      memory.scope,
      memory.key ?? '',
      fingerprint,
      memory.content,
      JSON.stringify(memory.tags),
      memory.session,
      author,
      by_name,
      by_session,
      by_thread,
      by_seq,
      at,
      at,
    );
    return this.row(id);
  }

  /** What a person wrote stays the person's, whoever says it again. */
  renew(known: MemoryRow, { tags, source }: NewMemory, at: number): MemoryRow {
    const kept = known.author === 'person' && source.by === 'agent';
    const author = kept ? known : authorOf(source);
    const all = [...new Set([...toMemory(known).tags, ...tags])].slice(0, MEMORY_LIMITS.tags);
    this.#sql.run(
      `UPDATE memories SET tags = ?, updated_at = ?, author = ?, by_name = ?, by_session = ?, by_thread = ?, by_seq = ?
       WHERE n = ?`,
      JSON.stringify(all),
      at,
      author.author,
      author.by_name,
      author.by_session,
      author.by_thread,
      author.by_seq,
      known.n,
    );
    return this.row(known.id);
  }

  /** New words of a person. */
  rewrite(row: Pick<MemoryRow, 'n' | 'content' | 'tags' | 'fingerprint'>, at: number): void {
    this.#sql.run(
      `UPDATE memories SET content = ?, tags = ?, fingerprint = ?, updated_at = ?, author = 'person',
         by_name = NULL, by_session = NULL, by_thread = NULL, by_seq = NULL WHERE n = ?`,
      row.content,
      row.tags,
      row.fingerprint,
      at,
      row.n,
    );
  }

  used({ n }: MemoryRow, at: number): void {
    this.#sql.run('UPDATE memories SET uses = uses + 1, used_at = ? WHERE n = ?', at, n);
  }

  delete({ n }: MemoryRow): void {
    this.#sql.run('DELETE FROM memories WHERE n = ?', n);
  }
}
