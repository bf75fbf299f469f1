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
  const keys: [MemoryScope, string | null][] = [
    ['agent', sight.thread],
    ['session', sight.session],
    ['repository', sight.repository],
    ['user', ''],
  ];
  const seen = keys.filter(
    (pair): pair is [MemoryScope, string] =>
      pair[1] !== null && (scope === undefined || pair[0] === scope),
  );
  if (seen.length === 0) return { where: 'FALSE', bindings: [] };
  const where = seen.map(() => '(m.scope = ? AND m.key = ?)').join(' OR ');
  return { where: `(${where})`, bindings: seen.flat() };
}
