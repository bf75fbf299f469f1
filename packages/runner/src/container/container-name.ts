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
export const homeLabel = (agents: string): string => `filepath.home=${shortHash(agents)}`;

export function labelsOf(run: RunDir): Record<string, string> {
  const dir = agentDirOf(run);
  const [key = '', value = ''] = homeLabel(dirname(dir)).split('=');
  return {
    [key]: value,
    'filepath.agent': basename(dir),
    'filepath.epoch': String(run.epoch),
  };
}
