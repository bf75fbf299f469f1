import { globSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../src/files.ts';
import { removeGroup } from '../src/limits/groups.ts';

/** Removes the control groups of agents that were killed together with their runner. */
export async function removeGroups(home: string): Promise<void> {
  // Not a walk: what agents left may be links in a circle.
  const files = globSync('{agents,archive}/*/run/*/groups', { cwd: home });
  const groups = files.flatMap((path) =>
    (readText(join(home, path)) ?? '').split('\n').filter(Boolean),
  );
  await Promise.all(groups.map((group) => removeGroup(group)));
}
