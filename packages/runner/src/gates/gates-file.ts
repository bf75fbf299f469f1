import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Gates } from '@filepath/protocol';
import { z } from 'zod';
import { readJsonOrNull } from '../damaged-home.ts';
import type { Place } from '../executor/executor.ts';
import { writeDurable } from '../files.ts';
import { repositoryFile } from '../health/repository-file.ts';

const GatesFile = z.strictObject({ gates: Gates.nullable() });

const pathOf = ({ dir }: Place): string => join(dir, 'gates.json');

/** The gates that the repository declared when the workspace was made. */
export function declaredGates(place: Place): Gates | null {
  return GatesFile.safeParse(readJsonOrNull(pathOf(place))).data?.gates ?? null;
}

/**
 * Keeps what the repository declares, where no agent can write. A child has what its parent has: what it starts with
 * is its parent's work. To be called before anything of the agent runs in a workspace that was made just now.
 */
export async function keepGates(place: Place, parent: Place | null): Promise<void> {
  if (existsSync(pathOf(place))) return;
  const inherits = parent !== null && existsSync(pathOf(parent));
  const gates = inherits
    ? declaredGates(parent)
    : (repositoryFile(join(place.dir, 'workspace')).file.gates ?? null);
  await writeDurable(pathOf(place), JSON.stringify({ gates }));
}
