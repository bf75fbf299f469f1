import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { gitSandbox } from '../executor/clone.ts';
import { type Place, Refusal } from '../executor/executor.ts';
import { runOnce } from '../executor/once.ts';
import { findTool } from '../executor/tools.ts';
import type { AgentLimits } from '../limits/agent-limits.ts';

const TIMEOUT_MS = 10 * 60_000;
/** git's advice to whoever called it, which is nobody who reads this. */
const HINTS = /^hint:.*\n?/gm;

export type WorkspaceTools = { env: NodeJS.ProcessEnv; limits: AgentLimits };

export type WorkspaceCommand = {
  place: Place;
  /** The folder of the agent's directory that is mounted at /workspace. */
  folder?: string;
  /** Path of a mirror to be read, or null. */
  mirror: string | null;
  script: string;
  args: readonly string[];
  stdin?: number;
  /** The workspace cannot be written. */
  readOnly?: boolean;
  onStdout?: (stdout: Readable) => Promise<void>;
  timeoutMs?: number;
  signal: AbortSignal;
};

/**
 * A script in a sandbox with the agent's workspace, as the agent's user and under its limits. What a workspace makes
 * git do happens there; what comes out is the agent's text. Throws a Refusal with what the script said.
 */
export async function inWorkspace(tools: WorkspaceTools, job: WorkspaceCommand): Promise<void> {
  const { place, mirror, signal, timeoutMs = TIMEOUT_MS } = job;
  const bwrap = findTool('bwrap', tools.env);
  if (bwrap === null) throw new Refusal('bubblewrap is gone since the runner started');
  const limits = tools.limits.hold(place.slug);
  const sandbox = gitSandbox(place.dir, job.folder ?? 'workspace', mirror);
  try {
    const result = await runOnce({
      bwrap,
      uid: place.uid,
      ...sandbox,
      mounts: (paths) => ({ ...sandbox.mounts(paths), readOnly: job.readOnly ?? false }),
      command: [...tools.limits.prefix(), '/bin/sh', '-c', job.script, 'job', ...job.args],
      ...(job.stdin === undefined ? {} : { stdin: job.stdin }),
      ...(job.onStdout && { onStdout: job.onStdout }),
      groups: limits.groups,
      timeoutMs,
      signal,
    });
    if (result.status === 0) return;
    if (signal.aborted) throw new Error('the runner is stopping');
    const said = result.timedOut
      ? `it took longer than ${timeoutMs / 1000} s`
      : result.output.replaceAll(HINTS, '').trim();
    throw new Refusal(said.slice(-1500) || `it ended with ${result.status ?? 'a signal'}`);
  } finally {
    await limits.release();
  }
}

/** Puts a stream into a new file; throws a Refusal where it is longer than `most` bytes. */
export function intoFile(path: string, most: number): (stdout: Readable) => Promise<void> {
  let bytes = 0;
  const count = new Transform({
    transform: (chunk: Buffer, _encoding, next) => {
      bytes += chunk.length;
      if (bytes <= most) next(null, chunk);
      else next(new Refusal(`it is larger than ${most} bytes`));
    },
  });
  return (stdout) => pipeline(stdout, count, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
}
