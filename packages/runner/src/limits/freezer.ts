import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initOf } from '../executor/process-files.ts';
import type { RunDir } from '../home.ts';
import { readText } from '../files.ts';
import { childrenOf, signal, statOf, threadsOf } from '../proc.ts';
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

/**
 * Null where something in the sandbox can run. Else what is another text as soon as something has: a process that is held
 * by a signal may have had itself woken by another one, which the kernel's count of its turns tells.
 */
export function stillness(run: RunDir): string | null {
  for (const group of groupsOf(run)) {
    const events = existsSync(join(group, 'cgroup.freeze'))
      ? readText(join(group, 'cgroup.events'))
      : null;
    if (events !== null) return /^frozen 1$/m.test(events) ? 'frozen' : null;
    const state = readText(join(group, 'freezer.state'));
    if (state !== null) return state.trim() === 'FROZEN' ? 'frozen' : null;
  }
  const init = initOf(run);
  return init === null ? 'gone' : turnsOf(init);
}

/** Null where a thread is not stopped. One in the hands of the kernel does nothing of its own until its turns say so. */
function turnsOf(pid: number): string | null {
  const own: string[] = [];
  try {
    for (const thread of threadsOf(pid)) {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
      if (!/^State:\s+[TtDZX]/m.test(status)) return null;
      const turns = [...status.matchAll(/^(?:non)?voluntary_ctxt_switches:\s+(\d+)$/gm)];
      own.push(`${thread}:${turns.map(([, count]) => count).join('+')}`);
    }
  } catch {
    // It ended meanwhile, which it did not do while it stood still.
    if (statOf(pid) !== null) return null;
  }
  const below = childrenOf(pid).map(turnsOf);
  return below.includes(null) ? null : [...own, ...below].join(' ');
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
