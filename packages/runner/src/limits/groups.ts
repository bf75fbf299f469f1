import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, isMissing, readText } from '../files.ts';
import type { Hierarchy } from './hierarchies.ts';
import type { LimitSettings } from './settings.ts';

const PERIOD_US = 100_000;
/** The kernel lets go of a group some moments after its last process. */
const REMOVE_TRIES = 200;
const REMOVE_MS = 10;
const FORGOTTEN_MS = 10 * 60_000;

/** Makes an agent's group with its limits. Repeatable. */
export function makeGroup(hierarchy: Hierarchy, name: string, settings: LimitSettings): string {
  const group = join(hierarchy.parent, name);
  // One that an earlier try left may carry other limits.
  discard(group);
  mkdirSync(group, { recursive: true });
  const quota = Math.round(settings.cpus * PERIOD_US);
  const values: Record<string, Record<string, string>> = hierarchy.version === 2
    ? {
        memory: { 'memory.max': `${settings.memory}`, 'memory.swap.max': '0' },
        pids: { 'pids.max': `${settings.pids}` },
        cpu: { 'cpu.max': `${quota} ${PERIOD_US}` },
      }
    : {
        memory: {
          'memory.limit_in_bytes': `${settings.memory}`,
          'memory.memsw.limit_in_bytes': `${settings.memory}`,
        },
        pids: { 'pids.max': `${settings.pids}` },
        cpu: { 'cpu.cfs_period_us': `${PERIOD_US}`, 'cpu.cfs_quota_us': `${quota}` },
      };
  for (const controller of hierarchy.controllers) {
    for (const [file, value] of Object.entries(values[controller] ?? {})) {
      // Kernels without swap have no file for it.
      if (existsSync(join(group, file))) writeFileSync(join(group, file), value);
    }
  }
  return group;
}

/** Only an empty group can be removed. */
function discard(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    return;
  }
}

/** Removes groups that nobody came back for. One in use, or about to be, stays. */
export function sweep(parent: string, olderThanMs = FORGOTTEN_MS): void {
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    const group = join(parent, entry.name);
    const made = statSync(group, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
    if (entry.isDirectory() && Date.now() - made > olderThanMs) discard(group);
  }
}

/** How often these groups came to their limits. */
export function incidents(groups: readonly string[]): { oomKills: number; pidsHits: number } {
  const sum = (files: readonly string[], key: string): number =>
    groups
      .flatMap((group) => files.map((file) => readText(join(group, file)) ?? ''))
      .map((text) => Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(text)?.[1] ?? 0))
      .reduce((total, count) => total + count, 0);
  return {
    oomKills: sum(['memory.oom_control', 'memory.events'], 'oom_kill'),
    pidsHits: sum(['pids.events'], 'max'),
  };
}

/** Nothing of the agent runs any more. Says whether the group is gone. */
export async function removeGroup(group: string): Promise<boolean> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    try {
      rmdirSync(group);
      return true;
    } catch (error) {
      if (isMissing(error)) return true;
      if (errorCode(error) !== 'EBUSY') return false;
    }
    await delay(REMOVE_MS);
  }
  return false;
}
