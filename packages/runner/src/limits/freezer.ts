import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initOf } from '../executor/process-files.ts';
import type { RunDir } from '../home.ts';
import { childrenOf, signal } from '../proc.ts';
import { groupsOf } from './agent-limits.ts';

/** Holds everything in the sandbox still, or lets it go on. Repeatable; nothing where nothing runs. */
export function setFrozen(run: RunDir, frozen: boolean): void {
  for (const group of groupsOf(run)) {
    if (write(join(group, 'cgroup.freeze'), frozen ? '1' : '0')) return;
    if (write(join(group, 'freezer.state'), frozen ? 'FROZEN' : 'THAWED')) return;
  }
  const init = initOf(run);
  if (init !== null) signalTree(init, frozen ? 'SIGSTOP' : 'SIGCONT');
}

/** Says whether the group has this file. */
function write(file: string, value: string): boolean {
  if (!existsSync(file)) return false;
  writeFileSync(file, value);
  return true;
}

/** From the top: a process that is stopped makes no further ones. Orphans are children of the init. */
function signalTree(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  signal(pid, name);
  for (const child of childrenOf(pid)) signalTree(child, name);
}
