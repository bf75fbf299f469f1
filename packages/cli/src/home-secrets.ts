import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { EngineError } from '@filepath/worker/engine';
import { z } from 'zod';

const SHORTEST_TOKEN = 16;

const Secrets = z.object({
  runnerToken: z.string().min(SHORTEST_TOKEN),
  authSecret: z.string().min(SHORTEST_TOKEN),
});

export type Secrets = z.infer<typeof Secrets>;

/** The owner's token: the one given in the environment, else the one this home was made with. */
export function ownerToken(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const given = env['FILEPATH_TOKEN'];
  if (given !== undefined && given !== '') {
    if (given.length >= SHORTEST_TOKEN) return given;
    throw new EngineError(
      `FILEPATH_TOKEN is too short; use at least ${SHORTEST_TOKEN} characters.`,
    );
  }
  const path = join(home, 'token');
  const kept = readIfThere(path)?.trim() ?? '';
  if (kept.length >= SHORTEST_TOKEN) return kept;
  const made = makeSecret();
  writePrivate(path, `${made}\n`);
  return made;
}

/** What only this instance's own programs know. Made once; the caller holds the home's lock. */
export function homeSecrets(home: string): Secrets {
  const path = join(home, 'secrets.json');
  const kept = readIfThere(path);
  if (kept === null) {
    const made = { runnerToken: makeSecret(), authSecret: makeSecret() };
    writePrivate(path, `${JSON.stringify(made, null, 2)}\n`);
    return made;
  }
  try {
    return Secrets.parse(JSON.parse(kept));
  } catch (error) {
    throw new EngineError(
      `${path} cannot be understood; remove it to make a new one, which signs everybody out.`,
      { cause: error },
    );
  }
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Renamed into place, so that a kill leaves the old content or the new, never half of it. */
function writePrivate(path: string, content: string): void {
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
