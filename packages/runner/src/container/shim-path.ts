import { extname, join } from 'node:path';

/** Beside this file, also where it has become part of a bundle. */
export const SHIM_PATH = join(
  import.meta.dirname,
  `container-shim${extname(import.meta.filename)}`,
);
