import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CATALOG, type AgentEntry, type CatalogReport } from '@filepath/protocol';
import type { Catalog } from './catalog.ts';

/** Where an agent looks for programs that are the system's. */
const SYSTEM = ['/usr/local/bin', '/usr/bin', '/bin'];
const LOOK_MS = 5_000;

/** What the worker is told of the catalog. `home`: `$FILEPATH_HOME`. */
export function catalogReport(catalog: Catalog, home: string): CatalogReport {
  const own = catalog.own.map(({ env: _env, files: _files, ...told }) => told);
  const found = [...CATALOG, ...catalog.own].flatMap((entry) => {
    const where = programOf(entry, home);
    return where === null ? [] : [[entry.type, where] as const];
  });
  return { own, programs: Object.fromEntries(found) };
}

/** Calls `tell` when the report is another than it was. */
export class ReportWatch {
  readonly #timer: NodeJS.Timeout;

  constructor(report: () => CatalogReport, tell: (report: CatalogReport) => void) {
    let before = JSON.stringify(report());
    this.#timer = setInterval(() => {
      const now = report();
      if (JSON.stringify(now) === before) return;
      before = JSON.stringify(now);
      tell(now);
    }, LOOK_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function programOf({ driver }: AgentEntry, home: string): 'tools' | 'system' | null {
  const [name] = driver.kind === 'native' ? [] : (driver.command ?? []);
  if (name === undefined) return null;
  if (isAbsolute(name)) return isProgram(name) ? 'system' : null;
  if (isProgram(join(home, 'tools/bin', name))) return 'tools';
  return SYSTEM.some((folder) => isProgram(join(folder, name))) ? 'system' : null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
