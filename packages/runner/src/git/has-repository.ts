import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../executor/executor.ts';

/** Whether git could find anything in the workspace. What it is, is looked at in a sandbox. */
export const hasRepository = ({ dir }: Pick<Place, 'dir'>): boolean =>
  lstatSync(join(dir, 'workspace', '.git'), { throwIfNoEntry: false }) !== undefined;
