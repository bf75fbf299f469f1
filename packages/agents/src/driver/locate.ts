import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Where a program is, by the PATH; null if it is nowhere. */
export function locate(program: string, path: string | undefined): string | null {
  const places = isAbsolute(program)
    ? [program]
    : (path ?? '').split(delimiter).map((directory) => join(directory, program));
  return places.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
