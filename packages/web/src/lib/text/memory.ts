import type { MemoryScope, MemorySource } from '@filepath/protocol';

const SCOPES: Record<MemoryScope, string> = {
  agent: 'this agent',
  session: 'session',
  repository: 'repository',
  user: 'everywhere',
};

/** Where a memory counts. */
export const scopeWords = (scope: MemoryScope): string => SCOPES[scope];

/** Whose words they are. */
export const sourceWords = (source: MemorySource): string =>
  source.by === 'person' ? 'by a person' : `by ${source.name}`;

/** Where it was said; null where that is nowhere. */
export const sourceLink = (source: MemorySource): string | null =>
  source.by === 'person' ? null : `/session/${source.session}`;
