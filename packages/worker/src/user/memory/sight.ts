import type { MemoryScope, SessionId, ThreadId } from '@filepath/protocol';
import type { SqlValue } from '../../storage/sql.ts';

/** From where an agent looks: what it sees is its own, its session's, its repository's and its user's. */
export type Sight = {
  readonly thread: ThreadId;
  readonly session: SessionId;
  /** As `repositoryKey` writes it; null where the session has none. */
  readonly repository: string | null;
};

export type Place = { scope: MemoryScope; key: string | null; session: SessionId | null };

/** The place of a scope for this agent. A session without a repository stands in for it. */
export function placeOf(sight: Sight, scope: MemoryScope = 'repository'): Place {
  const { thread, session, repository } = sight;
  switch (scope) {
    case 'agent':
      return { scope, key: thread, session };
    case 'session':
      return { scope, key: session, session };
    case 'repository':
      if (repository === null) return { scope: 'session', key: session, session };
      return { scope, key: repository, session: null };
    case 'user':
      return { scope, key: null, session: null };
  }
}

export type Condition = { readonly where: string; readonly bindings: readonly SqlValue[] };

export function seenFrom(sight: Sight, scope?: MemoryScope): Condition {
  const { thread, session, repository } = sight;
  const places: (readonly [MemoryScope, Condition])[] = [
    ['agent', { where: `(m.scope = 'agent' AND m.key = ?)`, bindings: [thread] }],
    ['session', { where: `(m.scope = 'session' AND m.key = ?)`, bindings: [session] }],
    ...(repository === null ? [] : [['repository', ofRepository(repository)] as const]),
    ['user', { where: `m.scope = 'user'`, bindings: [] }],
  ];
  const seen = places.filter(([of]) => scope === undefined || of === scope).map(([, at]) => at);
  if (seen.length === 0) return { where: 'FALSE', bindings: [] };
  return {
    where: `(${seen.map(({ where }) => where).join(' OR ')})`,
    bindings: seen.flatMap(({ bindings }) => bindings),
  };
}

/** With what was stored when a path with `.git` and one without were the same. */
export function ofRepository(key: string): Condition {
  const other = key.startsWith('/') && key.endsWith('.git') ? key.slice(0, -4) : key;
  return {
    where: `(m.scope = 'repository' AND (m.key = ? OR (m.key = ? AND m.either = 1)))`,
    bindings: [key, other],
  };
}
