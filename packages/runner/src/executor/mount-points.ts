import { existsSync } from 'node:fs';
import { Refusal } from './executor.ts';

const CANDIDATES = ['/mnt', '/media', '/srv', '/opt', '/home'];

/**
 * Directories that a private mount namespace may cover, one for each source, such that none hides a source.
 * They only have to exist and be reachable for every user.
 */
export function mountPoints(sources: readonly string[]): string[] {
  const free = CANDIDATES.filter(
    (point) =>
      existsSync(point) && !sources.some((path) => path === point || path.startsWith(`${point}/`)),
  );
  if (free.length < sources.length) {
    throw new Refusal(`none of ${CANDIDATES.join(', ')} can be mounted on: create /mnt`);
  }
  return free.slice(0, sources.length);
}
