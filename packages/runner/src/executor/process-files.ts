import { existsSync, statSync } from 'node:fs';
import { z } from 'zod';
import { readText } from '../files.ts';
import type { RunDir } from '../home.ts';
import {
  bootId,
  childrenOf,
  isAlive,
  isNestedInit,
  parseProcessId,
  type ProcessId,
  signal,
  statOf,
  runs,
} from '../proc.ts';
import type { ProcessState } from './executor.ts';

/** A shim writes its pid file right after making it. */
const CLAIM_MS = 10_000;
/** Within this time after its shim a sandbox begins; the kernel counts a hundred ticks a second here. */
const SANDBOX_TICKS = 60 * 100;
const NEVER = 'none ';
const INTERRUPTED = 'its start was interrupted';

/** Text for a pid file that keeps every shim from starting. */
export const neverStarts = (reason: string): string => `${NEVER}${reason}\n`;

export function processState(run: RunDir): ProcessState {
  const text = readText(run.pid);
  if (text === null) return { at: 'none' };
  if (text.startsWith(NEVER)) return { at: 'never', reason: text.slice(NEVER.length).trim() };
  const id = parseProcessId(text);
  if (id === null) {
    const age = Date.now() - (statSync(run.pid, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return age < CLAIM_MS ? { at: 'alive' } : { at: 'lost', detail: INTERRUPTED };
  }
  // Looked up before the exit file: a shim writes that last.
  const alive = isAlive(id);
  const exit = readText(run.exit);
  if (exit !== null && /^\d+\s*$/.test(exit)) return { at: 'exited', status: Number(exit) };
  if (alive) return { at: 'alive' };
  return {
    at: 'lost',
    detail: id.boot === bootId() ? 'its process was killed' : 'the machine was restarted',
  };
}

/** The shim of an epoch, whether it runs or not. */
export function shimOf(run: RunDir): ProcessId | null {
  const text = readText(run.pid);
  return text === null ? null : parseProcessId(text);
}

export function shimRuns(run: RunDir): boolean {
  const shim = shimOf(run);
  return shim !== null && isAlive(shim);
}

const Status = z.object({ 'child-pid': z.int().min(2) });

/** Process 1 of the sandbox, if it runs. */
export function initOf(run: RunDir): number | null {
  const shim = shimOf(run);
  if (shim === null || shim.boot !== bootId() || !existsSync(run.status)) return null;
  const line = readText(run.status)?.split('\n')[0] ?? '';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = Status.safeParse(value);
  if (!parsed.success) return null;
  const pid = parsed.data['child-pid'];
  const stat = statOf(pid);
  // The number may have been given again, to another agent's too: ours began soon after its shim.
  const age = stat === null ? -1 : Number(stat.start) - Number(shim.start);
  if (age < 0 || age > SANDBOX_TICKS) return null;
  return isNestedInit(pid) && runs(pid) ? pid : null;
}

/** TERM for the command and its process group. */
export function terminateCommand(run: RunDir): void {
  const init = initOf(run);
  if (init === null) return;
  for (const pid of childrenOf(init)) {
    const group = statOf(pid)?.group;
    signal(pid, 'SIGTERM');
    if (group !== undefined && group > 1) signal(-group, 'SIGTERM');
  }
}

/** Ends the shim's own group: with it go bubblewrap and the sandbox. */
export function killShimGroup(run: RunDir): void {
  const shim = shimOf(run);
  if (shim === null || shim.boot !== bootId()) return;
  // Without its leader the group is still the shim's as long as the number is not in use again.
  if (isAlive(shim) || statOf(shim.pid) === null) signal(-shim.pid, 'SIGKILL');
}
