import type { AgentEntry, CatalogReport } from '@filepath/protocol';
import { programOf } from './known.ts';

export type AgentRow = {
  type: string;
  name: string;
  program: string;
  metered: boolean;
  model: string;
};

/** A kind of agent as the list shows it. */
export function rowOf(entry: AgentEntry, programs: CatalogReport['programs']): AgentRow {
  const { type, name, metered, defaultModel: model } = entry;
  return { type, name, program: programText(entry, programs[type]), metered, model };
}

function programText(
  { type, driver, install }: AgentEntry,
  place: CatalogReport['programs'][string] | undefined,
): string {
  if (driver.kind === 'native') return 'built in';
  if (programOf(driver) === null) return 'your own';
  if (place !== undefined) return place === 'tools' ? "filepath's tools" : 'this system';
  if (install?.from === 'npm') return `missing: filepath agents install ${type}`;
  return 'missing';
}

export function tableLines(rows: readonly AgentRow[]): string[] {
  const cells = rows.map(({ type, name, program, metered }) => [
    type,
    name,
    metered ? 'metered' : 'unmetered',
    program,
  ]);
  const all = [['TYPE', 'NAME', 'TRAFFIC', 'PROGRAM'], ...cells];
  const widths = [0, 1, 2].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map((row) =>
    row.map((cell, at) => (at < widths.length ? cell.padEnd(widths[at] ?? 0) : cell)).join('  '),
  );
}
