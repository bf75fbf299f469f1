import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { RunDir } from '../home.ts';

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

/** The agent's directory of an epoch. */
export const agentDirOf = (run: RunDir): string => dirname(dirname(run.path));

/** The one container of an epoch: found again by whoever has its directory. */
export function containerName(run: RunDir): string {
  const slug = basename(agentDirOf(run)).replace(/[^A-Za-z0-9_.-]/g, '-');
  return `filepath-${slug.slice(0, 100)}-${run.epoch}-${shortHash(run.path)}`;
}

/** Tells the containers of one home from those of another. */
const HOME = 'filepath.home';
/** The same for those that the runner waits for. */
const ONCE = 'filepath.once';

export const homeLabel = (agents: string): string => `${HOME}=${shortHash(agents)}`;
export const onceLabel = (agents: string): string => `${ONCE}=${shortHash(agents)}`;
export const onceLabels = (agents: string): Record<string, string> => ({
  [ONCE]: shortHash(agents),
});

export function labelsOf(run: RunDir): Record<string, string> {
  const dir = agentDirOf(run);
  return {
    [HOME]: shortHash(dirname(dir)),
    'filepath.agent': basename(dir),
    'filepath.epoch': String(run.epoch),
  };
}
