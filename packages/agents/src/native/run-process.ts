import { spawn } from 'node:child_process';
import { HeadAndTail } from './head-and-tail.ts';

export type ProcessEnd = {
  /** Null: a signal ended it. */
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
};

export type ProcessOptions = {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Of each stream, in bytes; what is between beginning and end is left out. */
  readonly keep?: number;
};

const GRACE_MS = 1_000;
/** What a program left running may keep its streams open: they are read so much longer. */
const LINGER_MS = 300;

/** Runs a program in a group of its own, to its end: TERM to the group when time is up or it is interrupted, then KILL. */
export function runProcess(
  argv: readonly [string, ...string[]],
  { cwd, env, timeoutMs, signal, keep = 64 * 1024 }: ProcessOptions,
): Promise<ProcessEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessEnd>();
  const [command, ...args] = argv;
  const child = spawn(command, args, {
    cwd,
    env: env ?? process.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = new HeadAndTail(keep);
  const stderr = new HeadAndTail(keep);
  child.stdout.on('data', (bytes: Buffer) => stdout.add(bytes));
  child.stderr.on('data', (bytes: Buffer) => stderr.add(bytes));

  const kill = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group has ended.
    }
  };
  let timedOut = false;
  const timers: NodeJS.Timeout[] = [];
  const end = () => {
    kill('SIGTERM');
    timers.push(setTimeout(() => kill('SIGKILL'), GRACE_MS));
  };
  timers.push(
    setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs),
  );
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();

  child.on('error', reject);
  child.on('exit', (exit, name) => {
    const ended = () =>
      resolve({ exit, signal: name, timedOut, stdout: stdout.text(), stderr: stderr.text() });
    child.on('close', ended);
    timers.push(
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        ended();
      }, LINGER_MS),
    );
  });
  return promise.finally(() => {
    signal.removeEventListener('abort', end);
    if (signal.aborted || timedOut) kill('SIGKILL');
    for (const timer of timers) clearTimeout(timer);
  });
}
