import {
  type AgentEntry,
  CATALOG,
  type CatalogItem,
  type CatalogReport,
  type ProgramPlace,
} from '@filepath/protocol';
import type { KnownAgents } from './known-agents.ts';

/** The agents as they are offered, with what the runner has told of their programs. */
export function catalogItems(known: KnownAgents, report: CatalogReport | null): CatalogItem[] {
  return known.entries.map((entry) => ({
    type: entry.type,
    name: entry.name,
    description: entry.description,
    icon: entry.icon,
    defaultModel: known.modelOf(entry),
    driver: entry.driver.kind,
    metered: entry.metered,
    own: !CATALOG.some(({ type }) => type === entry.type),
    program: placeOf(entry, report),
    install: entry.install ?? null,
  }));
}

function placeOf({ type, driver }: AgentEntry, report: CatalogReport | null): ProgramPlace {
  if (driver.kind === 'native') return 'built-in';
  if (driver.kind === 'custom' && driver.command === undefined) return 'user';
  return report?.programs[type] ?? 'missing';
}
