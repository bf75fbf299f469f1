import {
  FilepathError,
  type Memory,
  MEMORY_LIMITS,
  type MemoryId,
  type MemoryPatch,
  type MemoryScope,
  type MemoryStored,
  type SessionId,
  type ThreadId,
} from '@filepath/protocol';
import { notFound } from '../../result.ts';
import { first, type Sql } from '../../storage/sql.ts';
import { countOf, find, newest } from './find.ts';
import { type MemoryRow, type NewMemory, toMemory } from './memory-row.ts';
import { makeRoom } from './room.ts';
import { type Condition, ofRepository, seenFrom, type Sight } from './sight.ts';
import { MemoryTable } from './table.ts';
import { matchOf, sameness } from './words.ts';

export type MemoryDeps = {
  readonly sql: Sql;
  readonly now: () => number;
  readonly sha256: (text: string) => string;
  /** No secret that is known is ever stored. */
  readonly redact: (text: string) => string;
};

export type Listing = {
  readonly q?: string | undefined;
  readonly scope?: MemoryScope | undefined;
  /** As `repositoryKey` writes it. */
  readonly repository?: string | undefined;
  readonly limit: number;
};

/** What an agent printed, with its place in the thread's log. */
export type SaidMemory = NewMemory & { readonly seq: number };

/** What the agents of one user remember. */
export class Memories {
  #deps: MemoryDeps;
  #table: MemoryTable;

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#table = new MemoryTable(deps.sql);
  }

  /** Stores it, or renews what is the same. What has no room any more goes, the least useful first. */
  store(given: NewMemory): MemoryStored {
    const { sql, redact, sha256, now } = this.#deps;
    const content = redact(given.content).slice(0, MEMORY_LIMITS.content);
    const memory = { ...given, content, tags: given.tags.map(redact) };
    const fingerprint = sha256(sameness(content));
    return sql.transaction(() => {
      const known = this.#table.same(memory.scope, memory.key ?? '', fingerprint);
      if (known) {
        const renewed = this.#table.renew(known, memory, now());
        return { memory: toMemory(renewed), refreshed: true, dropped: 0 };
      }
      const dropped = makeRoom(sql, memory);
      const row = this.#table.insert(memory, fingerprint, now());
      return { memory: toMemory(row), refreshed: false, dropped };
    });
  }

  /** What a thread said, in the order of its log: each seq once, however often it is told. */
  take(thread: ThreadId, session: SessionId, said: readonly SaidMemory[]): void {
    const { sql } = this.#deps;
    sql.transaction(() => {
      const query = 'SELECT seq FROM memory_heads WHERE thread = ?';
      const head = first<{ seq: number }>(sql, query, thread)?.seq ?? 0;
      const fresh = said.filter(({ seq }) => seq > head);
      for (const memory of fresh) this.#storeIfRoom(memory);
      const last = fresh.at(-1);
      if (!last) return;
      sql.run(
        `INSERT INTO memory_heads (thread, session, seq) VALUES (?, ?, ?)
         ON CONFLICT (thread) DO UPDATE SET seq = excluded.seq`,
        thread,
        session,
        last.seq,
      );
    });
  }

  /** For an agent, best first. What it gets counts as used. */
  recall(sight: Sight, q: string, scope: MemoryScope | undefined, limit: number): Memory[] {
    return this.#used(this.#find(seenFrom(sight, scope), q).slice(0, limit));
  }

  /** For an agent's start: what fits its task, then what is near and new, within the bounds. */
  give(sight: Sight, task: string): Memory[] {
    const seen = seenFrom(sight);
    const fitting = matchOf(task) === null ? [] : this.#find(seen, task);
    const known = new Set(fitting.map(({ n }) => n));
    const rest = this.#find(seen, '').filter(({ n }) => !known.has(n));
    return this.#used(withinBounds([...fitting, ...rest]));
  }

  /** For the person: those that fit, or the newest. `total` is how many there are in that scope and repository. */
  list({ q = '', scope, repository, limit }: Listing): { memories: Memory[]; total: number } {
    const { sql } = this.#deps;
    const conditions: Condition[] = [{ where: 'TRUE', bindings: [] }];
    if (scope !== undefined) conditions.push({ where: 'm.scope = ?', bindings: [scope] });
    if (repository !== undefined) conditions.push(ofRepository(repository));
    const all = {
      where: conditions.map(({ where }) => where).join(' AND '),
      bindings: conditions.flatMap(({ bindings }) => bindings),
    };
    const rows = q.trim() === '' ? newest(sql, all, limit) : this.#find(all, q).slice(0, limit);
    return { memories: rows.map(toMemory), total: countOf(sql, all) };
  }

  /** A person's change makes the words the person's. */
  update(id: MemoryId, patch: MemoryPatch): Memory {
    const { sql, redact, sha256, now } = this.#deps;
    return sql.transaction(() => {
      const row = this.#table.row(id);
      const content = patch.content === undefined ? row.content : redact(patch.content);
      const tags = patch.tags === undefined ? row.tags : JSON.stringify(patch.tags.map(redact));
      const fingerprint = sha256(sameness(content));
      const other = this.#table.same(row.scope, row.key, fingerprint);
      if (other && other.n !== row.n) {
        throw new FilepathError('conflict', `The same is remembered already, as ${other.id}.`);
      }
      this.#table.rewrite({ n: row.n, content, tags, fingerprint }, now());
      return toMemory(this.#table.row(id));
    });
  }

  remove(id: MemoryId): void {
    this.#table.delete(this.#table.row(id));
  }

  /** An agent forgets what it sees, unless a person wrote it. */
  forget(sight: Sight, id: MemoryId): void {
    const { where, bindings } = seenFrom(sight);
    const query = `SELECT * FROM memories m WHERE m.id = ? AND ${where}`;
    const row = first<MemoryRow>(this.#deps.sql, query, id, ...bindings);
    if (!row) throw notFound('this memory');
    if (row.author === 'person') {
      throw new FilepathError('conflict', 'A person wrote this memory: only they can remove it.');
    }
    this.#table.delete(row);
  }

  /** Those of a session and of its agents go with it; what it told of its repository and its user stays. */
  forgetSession(session: SessionId): void {
    const { sql } = this.#deps;
    sql.transaction(() => {
      sql.run('DELETE FROM memories WHERE session = ?', session);
      sql.run('DELETE FROM memory_heads WHERE session = ?', session);
    });
  }

  forgetAgent(thread: ThreadId): void {
    this.#deps.sql.run(`DELETE FROM memories WHERE scope = 'agent' AND key = ?`, thread);
  }

  #storeIfRoom(memory: NewMemory): void {
    try {
      this.store(memory);
    } catch (error) {
      // Nobody waits for an answer to what an agent printed.
      if (!(error instanceof FilepathError)) throw error;
    }
  }

  #find(condition: Condition, q: string): MemoryRow[] {
    return find(this.#deps.sql, condition, q, this.#deps.now());
  }

  #used(rows: readonly MemoryRow[]): Memory[] {
    const at = this.#deps.now();
    this.#deps.sql.transaction(() => rows.forEach((row) => this.#table.used(row, at)));
    return rows.map((row) => toMemory({ ...row, uses: row.uses + 1, used_at: at }));
  }
}

const encoder = new TextEncoder();

/** One that is too large for the room that is left is passed over. */
function withinBounds(rows: readonly MemoryRow[]): MemoryRow[] {
  const given: MemoryRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (given.length === MEMORY_LIMITS.given) break;
    const size = encoder.encode(row.content).length;
    if (bytes + size > MEMORY_LIMITS.givenBytes) continue;
    bytes += size;
    given.push(row);
  }
  return given;
}
