import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TempDir = { readonly path: string; remove(): void } & Disposable;

/** A new folder that `remove`, or the end of a `using` block, takes away with everything in it. */
export function tempDir(name = 'filepath'): TempDir {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  return { path, remove, [Symbol.dispose]: remove };
}
