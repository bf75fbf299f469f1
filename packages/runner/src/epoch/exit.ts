import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { constants } from 'node:os';
import type { ExitReason, RunnerBody } from '@filepath/protocol';
import type { ProcessState } from '../executor/executor.ts';
import { isMissing } from '../files.ts';
import type { Redactor } from '../spool/redactor.ts';

const STDERR_CHARS = 8192;
/** More than is shown: a secret that the cut would part is found while it is whole. */
const STDERR_BYTES = 2 * STDERR_CHARS;

export type Ending = {
  epoch: number;
  state: Extract<ProcessState, { at: 'exited' | 'lost' }>;
  /** What it was ended for. */
  stopped: 'stopped' | 'handoff' | null;
  /** The limit for which the runner ended it. */
  limit: string | null;
  stderrPath: string;
  redactor: Redactor;
};

export function exitBody(ending: Ending): RunnerBody {
  const { state, redactor } = ending;
  const status = state.at === 'exited' ? state.status : null;
  const detail = ending.limit ?? (state.at === 'lost' ? state.detail : null);
  const stderr = redactor.redact(tail(ending.stderrPath));
  return {
    type: 'exit',
    epoch: ending.epoch,
    code: status,
    signal: status === null ? null : signalOf(status),
    reason: reasonOf(ending),
    ...(detail === null ? {} : { detail: detail.slice(0, 2048) }),
    ...(stderr === '' ? {} : { stderr: stderr.slice(-STDERR_CHARS) }),
  };
}

function reasonOf(ending: Ending): ExitReason {
  if (ending.limit !== null) return 'limit';
  if (ending.stopped !== null) return ending.stopped;
  return ending.state.at === 'lost' ? 'lost' : 'exited';
}

/** A shell's way to say it: 128 and the signal. */
function signalOf(status: number): string | null {
  const name = Object.entries(constants.signals).find(([, number]) => number === status - 128);
  return name?.[0] ?? null;
}

function tail(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
  try {
    const buffer = Buffer.alloc(STDERR_BYTES);
    const from = Math.max(0, fstatSync(fd).size - STDERR_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, STDERR_BYTES, from));
  } finally {
    closeSync(fd);
  }
}
