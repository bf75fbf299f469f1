import { type MemoryScope, repositoryKey, ThreadId } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { first, type Sql } from '../storage/sql.ts';
import { readValue } from '../storage/values.ts';
import type { MemoryNote } from '../thread/outbox.ts';
import type { SaidMemory } from '../user/memory/memories.ts';
import { placeOf, type Sight } from '../user/memory/sight.ts';
import type { Session } from './session.ts';

export const MEMORY_TABLES: readonly string[] = [
  // What agents printed as worth remembering, until the user's object has it.
  `CREATE TABLE memory_notes (
     thread TEXT NOT NULL, seq INTEGER NOT NULL, content TEXT NOT NULL, scope TEXT, tags TEXT NOT NULL,
     PRIMARY KEY (thread, seq))`,
];

const BATCH = 50;

type NoteRow = { seq: number; content: string; scope: string | null; tags: string };

/** From where an agent of this session looks at what is remembered. */
export function sightOf({ meta }: Session, thread: ThreadId): Sight {
  const repository = meta.gitRepoUrl === null ? null : repositoryKey(meta.gitRepoUrl);
  return { thread, session: meta.id, repository };
}

/** Brings what agents printed to the user's object. The same is told again after a kill, and stored once. */
export class MemoryNotes {
  #session: Session;
  #sql: Sql;
  #env: Env;

  constructor(session: Session, sql: Sql, env: Env) {
    this.#session = session;
    this.#sql = sql;
    this.#env = env;
  }

  /** One that was told before, and brought since, is brought again: who stores it knows. */
  put(thread: ThreadId, { seq, content, scope, tags }: MemoryNote): void {
    this.#sql.run(
      'INSERT OR IGNORE INTO memory_notes (thread, seq, content, scope, tags) VALUES (?, ?, ?, ?, ?)',
      thread,
      seq,
      content,
      scope,
      JSON.stringify(tags),
    );
  }

  threads(): ThreadId[] {
    return this.#sql
      .all<{ thread: string }>('SELECT DISTINCT thread FROM memory_notes')
      .map((row) => ThreadId.parse(row.thread));
  }

  async bring(thread: ThreadId): Promise<void> {
    const { id, owner } = this.#session.meta;
    for (;;) {
      const rows = this.#sql.all<NoteRow>(
        'SELECT seq, content, scope, tags FROM memory_notes WHERE thread = ? ORDER BY seq LIMIT ?',
        thread,
        BATCH,
      );
      const last = rows.at(-1);
      if (!last) return;
      const said = rows.flatMap((row) => this.#said(thread, row));
      if (said.length > 0) await this.#env.USER.getByName(owner).takeMemories(thread, id, said);
      this.#sql.run('DELETE FROM memory_notes WHERE thread = ? AND seq <= ?', thread, last.seq);
    }
  }

  /** What was said of an agent or a session goes with them. */
  #said(thread: ThreadId, row: NoteRow): SaidMemory[] {
    const { meta, nodes } = this.#session;
    const node = nodes.find(thread);
    const place = placeOf(sightOf(this.#session, thread), (row.scope ?? undefined) as MemoryScope);
    const deleted = readValue(this.#sql, 'deleted') === true;
    if (place.session !== null && (deleted || (place.scope === 'agent' && !node))) return [];
    const query = 'SELECT name FROM nodes WHERE id = ?';
    const name = first<{ name: string }>(this.#sql, query, thread)?.name ?? '';
    const { seq, content } = row;
    const tags = JSON.parse(row.tags) as string[];
    const source = { by: 'agent' as const, name, session: meta.id, thread, seq };
    return [{ ...place, content, tags, source, seq }];
  }
}
