import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../src/files.ts';
import { removeGroup } from '../src/limits/groups.ts';

/** Removes the control groups of agents that were killed together with their runner. */
export async function removeGroups(home: string): Promise<void> {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const groups = files
    .filter((path) => /(^|\/)run\/\d+\/groups$/.test(path))
    .flatMap((path) => (readText(join(home, path)) ?? '').split('\n').filter(Boolean));
  await Promise.all(groups.map((group) => removeGroup(group)));
}
