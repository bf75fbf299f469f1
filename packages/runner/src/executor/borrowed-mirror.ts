import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText, writeAtomic } from '../files.ts';
import type { Mirrors } from '../git/mirrors.ts';
import { type Place, Refusal } from './executor.ts';

/** The file is beside the workspace, where the agent cannot write. */
const fileOf = (place: Pick<Place, 'dir'>): string => join(place.dir, 'mirror');

/** Whose objects the workspace borrows, whatever the session's repository is later. */
export function recordMirror(place: Place, id: string): void {
  writeAtomic(fileOf(place), `${id}\n`);
}

/** The id of the mirror that the workspace borrows from, or null. */
export function recordedMirror(place: Pick<Place, 'dir'>): string | null {
  return readText(fileOf(place))?.trim() ?? null;
}

/** The mirror that the workspace needs, or null. Throws a Refusal where it is gone. */
export function borrowedMirror(place: Place, mirrors: Mirrors): string | null {
  const id = recordedMirror(place);
  if (id === null) return null;
  const path = mirrors.path(id);
  if (existsSync(path)) return path;
  throw new Refusal(`the mirror that the workspace borrows its objects from is gone: ${path}`);
}
