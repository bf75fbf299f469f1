import { join } from 'node:path';
import type { Place } from '../executor/executor.ts';
import { readText, writeAtomic } from '../files.ts';
import { headOf } from './loose.ts';

/** The file is beside the workspace, where the agent cannot write. */
const fileOf = (place: Pick<Place, 'dir'>): string => join(place.dir, 'base');

/** Keeps the commit at which the work in a new workspace begins. One without a commit begins with nothing. */
export function recordBase(place: Pick<Place, 'dir'>, workspace: string): void {
  writeAtomic(fileOf(place), `${headOf(workspace) ?? ''}\n`);
}

/** The commit at which the work began; null where there was none. */
export function recordedBase(place: Pick<Place, 'dir'>): string | null {
  const text = readText(fileOf(place))?.trim() ?? '';
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : null;
}
