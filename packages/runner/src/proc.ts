import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** A process for ever: its number alone is given again, after a restart of the machine even soon. */
export type ProcessId = { pid: number; start: string; boot: string };

export type ProcessStat = {
  state: string;
  parent: number;
  group: number;
  session: number;
  start: string;
};

export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

export function statOf(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name in parentheses may hold anything, so fields count from the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent = '', group = '', session = ''] = fields;
  return {
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: fields[19] ?? '',
  };
}

/** A zombie counts as gone: nobody may ever collect it. */
export function runs(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== null && stat.state !== 'Z' && stat.state !== 'X';
}

export function isAlive(id: ProcessId): boolean {
  if (id.boot !== bootId()) return false;
  const stat = statOf(id.pid);
  return stat !== null && stat.start === id.start && stat.state !== 'Z' && stat.state !== 'X';
}

/** Each thread of a process has children of its own. */
export function childrenOf(pid: number): number[] {
  try {
    return threadsOf(pid).flatMap((thread) => {
      const list = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
      return list.split(' ').filter(Boolean).map(Number);
    });
  } catch {
    if (statOf(pid) === null) return [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => statOf(candidate)?.parent === pid);
}

/** Throws where there is no such process. */
export const threadsOf = (pid: number): number[] => readdirSync(`/proc/${pid}/task`).map(Number);

/** Whether this is process 1 of a namespace below ours. */
export function isNestedInit(pid: number): boolean {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return false;
  }
  const numbers = /^NSpid:\s+(.+)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? [];
  return numbers.length > 1 && numbers.at(-1) === '1';
}

/** A negative number names a process group. Says whether there was one to signal. */
export function signal(pid: number, name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

const PidFile = z.tuple([z.coerce.number().int().min(2), z.string().min(1), z.string().min(1)]);

/** `pid start boot`, as the shim writes it. */
export function parseProcessId(text: string): ProcessId | null {
  const parsed = PidFile.safeParse(text.trim().split(' '));
  if (!parsed.success) return null;
  const [pid, start, boot] = parsed.data;
  return { pid, start, boot };
}
