import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
}

/** The file's text, or null where there is no file. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The value of a JSON file, or null where there is no file or a kill left no JSON in it. */
export function readJson(path: string): unknown {
  const text = readText(path);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** After this the file has this text, also after a kill; before it, the file is as it was. */
export function writeAtomic(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

/** After this the files and the entries of the directories outlive a power cut. One that is gone already has nothing to keep. */
export async function syncAll(paths: readonly string[]): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      const handle = await open(path, 'r').catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (handle === null) return;
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }),
  );
}

export async function writeDurable(path: string, text: string): Promise<void> {
  writeAtomic(path, text);
  await syncAll([path, dirname(path)]);
}

/** Makes the file only if it does not exist; says whether this call made it. */
export function createExclusive(path: string, text: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFully(fd, Buffer.from(text));
    fsyncSync(fd);
  } catch (error) {
    // Half of it says nothing.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  return true;
}

export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}
