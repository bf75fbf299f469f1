import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** A pid is reused; a pid together with the time its process started is not. */
export type ProcessIdentity = { readonly pid: number; readonly startTime: string };

const onLinux = process.platform === 'linux';

/** When the process started, in the words of its system; null when there is no such process. */
export function startTimeOf(pid: number): string | null {
  return onLinux ? startTimeFromProc(pid) : startTimeFromPs(pid);
}

export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return startTimeOf(pid) === startTime;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? 'unknown' };
}

/** Whether the process is workerd: by its executable on Linux, by its command elsewhere. */
export function isWorkerd(pid: number): boolean {
  try {
    if (onLinux) return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('workerd');
    return ps(pid, 'comm').includes('workerd');
  } catch {
    return false;
  }
}

/**
 * Field 22 of /proc/PID/stat counts from the boot, so the boot's id belongs to it. Field 2, the command, may
 * hold spaces and parentheses; a process in state Z or X is dead.
 */
function startTimeFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${fields[19]}/${boot}`;
  } catch {
    return null;
  }
}

function startTimeFromPs(pid: number): string | null {
  try {
    return ps(pid, 'lstart').replaceAll(/\s+/g, ' ') || null;
  } catch {
    return null;
  }
}

function ps(pid: number, field: string): string {
  const env = { ...process.env, LC_ALL: 'C' };
  return execFileSync('ps', ['-p', String(pid), '-o', `${field}=`], {
    encoding: 'utf8',
    env,
  }).trim();
}

export type Usage = {
  /** Bytes that the process holds. */
  readonly memory: number;
  /** Milliseconds of CPU that it has used since its start. */
  readonly cpuMs: number;
};

/** Null where there is no such process, or the system does not say. The kernel counts hundredths of a second. */
export function usageOf(pid: number | undefined): Usage | null {
  if (pid === undefined) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { memory: memoryOf(pid), cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 };
  } catch {
    return null;
  }
}

/** Bytes of memory that a process holds; 0 where the system does not say. */
export function memoryOf(pid: number): number {
  try {
    const [, kilobytes = '0'] =
      /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1_024;
  } catch {
    return 0;
  }
}
