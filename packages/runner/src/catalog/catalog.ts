import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AgentEntry, CATALOG } from '@filepath/protocol';
import { isMissing } from '../files.ts';
import { reasonOf } from '../log.ts';

const MOST_FILES = 32;
const MOST_BYTES = 64 * 1024;

/** The agents that this runner knows: those of filepath, and the operator's own. */
export class Catalog {
  readonly own: readonly AgentEntry[];
  /** What is wrong with files of the operator's: each is left out. */
  readonly faults: readonly string[];

  constructor(own: readonly AgentEntry[] = [], faults: readonly string[] = []) {
    this.own = own;
    this.faults = faults;
  }

  /** From the files `catalog/TYPE.json` of the home. */
  static load(home: string): Catalog {
    const folder = join(home, 'catalog');
    const own: AgentEntry[] = [];
    const faults: string[] = [];
    const leftOut = (path: string, error: unknown): void =>
      void faults.push(`${path} is left out: ${reasonOf(error)}`);
    try {
      for (const name of namesIn(folder)) {
        try {
          if (own.length === MOST_FILES) throw new Error(`there are more than ${MOST_FILES} files`);
          own.push(readEntry(folder, name));
        } catch (error) {
          leftOut(join(folder, name), error);
        }
      }
    } catch (error) {
      leftOut(folder, error);
    }
    return new Catalog(own, faults);
  }

  find(type: string): AgentEntry | null {
    return [...CATALOG, ...this.own].find((entry) => entry.type === type) ?? null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readEntry(folder: string, name: string): AgentEntry {
  const path = join(folder, name);
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error('it is no file');
  if (stat.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
  const read = AgentEntry.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(
      `${issue?.path.join('.') || 'the entry'}: ${issue?.message ?? 'not understood'}`,
    );
  }
  const entry = read.data;
  if (`${entry.type}.json` !== name) {
    throw new Error(`type is ${entry.type}: name the file ${entry.type}.json`);
  }
  if (CATALOG.some(({ type }) => type === entry.type)) {
    throw new Error(`${entry.type} is an agent of filepath's own: choose another type`);
  }
  return entry;
}
