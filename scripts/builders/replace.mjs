// A build appears whole or not at all: what runs or tests the old one meanwhile is not disturbed for long.
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { root } from '../node24.mjs';

/** Lets `build` fill a new directory and puts it in the place of `target`. */
export async function replaceDirectory(target, build) {
  const cache = join(root, 'node_modules/.cache/filepath');
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'build-'));
  try {
    const made = join(scratch, 'new');
    await mkdir(made);
    const result = await build(made);
    await rename(target, join(scratch, 'old')).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(made, target);
    return result;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
