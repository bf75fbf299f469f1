import { Memory, type MemoryScope, type MemorySource, type SessionId } from '@filepath/protocol';

export type MemoryRow = {
  n: number;
  id: string;
  scope: string;
  key: string;
  fingerprint: string;
  content: string;
  tags: string;
  session: string | null;
  author: string;
  by_name: string | null;
  by_session: string | null;
  by_thread: string | null;
  by_seq: number | null;
  created_at: number;
  updated_at: number;
  uses: number;
  used_at: number | null;
};

/** What is to be stored. `session` is the one it goes with: of scopes agent and session. */
export type NewMemory = {
  readonly scope: MemoryScope;
  readonly key: string | null;
  readonly session: SessionId | null;
  readonly content: string;
  readonly tags: readonly string[];
  readonly source: MemorySource;
};

type Author = Pick<MemoryRow, 'author' | 'by_name' | 'by_session' | 'by_thread' | 'by_seq'>;

export function authorOf(source: MemorySource): Author {
  if (source.by === 'person') {
    return { author: 'person', by_name: null, by_session: null, by_thread: null, by_seq: null };
  }
  const { name, session, thread, seq } = source;
  return { author: 'agent', by_name: name, by_session: session, by_thread: thread, by_seq: seq };
}

export function toMemory(row: MemoryRow): Memory {
  return Memory.parse({
    id: row.id,
    scope: row.scope,
    key: row.key === '' ? null : row.key,
    content: row.content,
    tags: JSON.parse(row.tags) as unknown,
    source:
      row.author === 'person'
        ? { by: 'person' }
        : {
            by: 'agent',
            name: row.by_name,
            session: row.by_session,
            thread: row.by_thread,
            seq: row.by_seq,
          },
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    uses: row.uses,
    lastUsedAt: row.used_at === null ? null : iso(row.used_at),
  });
}

const iso = (at: number): string => new Date(at).toISOString();
