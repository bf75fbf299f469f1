import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Gates } from '@filepath/protocol';
import { z } from 'zod';
import { readJsonOrNull } from '../damaged-home.ts';
import type { Place } from '../executor/executor.ts';
import { writeDurable } from '../files.ts';
import { type Declared, repositoryGates } from '../health/repository-file.ts';

const GatesFile = z.strictObject({
  gates: Gates.nullable(),
  problem: z.string().nullable().default(null),
});

const UNREADABLE = 'the runner cannot read which gates the repository declared';

const pathOf = ({ dir }: Place): string => join(dir, 'gates.json');

/** The gates that the repository declared when the workspace was made. */
export function declaredGates(place: Place): Declared {
  if (!existsSync(pathOf(place))) return { gates: null, problem: null };
  const kept = GatesFile.safeParse(readJsonOrNull(pathOf(place))).data;
  return kept ?? { gates: null, problem: UNREADABLE };
}

/**
 * Keeps what the repository declares, where no agent can write. A child has what its parent has: what it starts with
 * is its parent's work. To be called before anything of the agent runs in a workspace that was made just now.
 */
export async function keepGates(place: Place, parent: Place | null): Promise<void> {
  if (existsSync(pathOf(place))) return;
  const inherits = parent !== null && existsSync(pathOf(parent));
  const declared = inherits ? declaredGates(parent) : repositoryGates(join(place.dir, 'workspace'));
  await writeDurable(pathOf(place), JSON.stringify(declared));
}
