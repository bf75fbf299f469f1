import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { initOf } from '../executor/process-files.ts';
import { readText } from '../files.ts';
import type { RunDir } from '../home.ts';
import { childrenOf } from '../proc.ts';
import { groupsOf } from './agent-limits.ts';

/** The kernel counts a hundred ticks a second here. */
const TICK_MS = 10;
const MOST_PROCESSES = 4096;

/** CPU time in milliseconds that everything of an agent has used; null where nobody can tell. */
export function cpuTime(run: RunDir): number | null {
  const groups = groupsOf(run);
  for (const group of groups) {
    const used = /^usage_usec (\d+)$/m.exec(readText(join(group, 'cpu.stat')) ?? '')?.[1];
    if (used !== undefined) return Number(used) / 1000;
  }
  const [first] = groups;
  const members = first === undefined ? null : readText(join(first, 'cgroup.procs'));
  const pids = members?.split('\n').filter(Boolean).map(Number) ?? treeOf(initOf(run));
  if (pids.length === 0) return null;
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) * TICK_MS;
}

function treeOf(top: number | null): number[] {
  const pids = top === null ? [] : [top];
  for (let i = 0; i < pids.length && pids.length < MOST_PROCESSES; i++) {
    pids.push(...childrenOf(pids[i] ?? 0));
  }
  return pids;
}

/** Of the process and of those children that it has seen end. */
function ticksOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    return 0;
  }
}
