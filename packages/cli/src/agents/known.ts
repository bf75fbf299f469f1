import { type AgentEntry, CATALOG, type CatalogReport } from '@filepath/protocol';
import { homeOf } from '../instance-file.ts';

export type KnownHere = {
  entries: readonly AgentEntry[];
  programs: CatalogReport['programs'];
  /** Files of the operator's that are left out, and why. */
  faults: readonly string[];
};

/** The agents that a runner on this home knows. */
export async function knownHere(env: NodeJS.ProcessEnv): Promise<KnownHere> {
  const { Catalog, catalogReport } = await import('@filepath/runner');
  const home = homeOf(env);
  const catalog = Catalog.load(home);
  return {
    entries: [...CATALOG, ...catalog.own],
    programs: catalogReport(catalog, home).programs,
    faults: catalog.faults,
  };
}

/** Whether the agent needs a program that is nowhere on this machine. */
export function lacksProgram({ type, driver }: AgentEntry, { programs }: KnownHere): boolean {
  return programOf(driver) !== null && programs[type] === undefined;
}

/** The program that an agent is started with, as the catalog names it; null where it names none. */
export function programOf(driver: AgentEntry['driver']): string | null {
  return driver.kind === 'native' ? null : (driver.command?.[0] ?? null);
}
