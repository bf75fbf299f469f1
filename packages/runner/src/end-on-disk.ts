import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import type { Executor } from './executor/executor.ts';
import { neverStarts } from './executor/process-files.ts';
import { createExclusive, readText, writeAtomic } from './files.ts';
import type { RunDir } from './home.ts';
import { bootId, parseProcessId, type ProcessId, signal, statOf } from './proc.ts';

/** Whether a process was started here and nothing says which. */
export function processUnknown(executor: Executor, run: RunDir): boolean {
  const text = readText(run.pid);
  if (text === null) return readText(run.observed)?.includes('"type":"started"') ?? false;
  return parseProcessId(text) === null && executor.state(run).at !== 'never';
}

/**
 * Ends the process of an epoch by what is on disk, or keeps it from ever starting. One that was ended here
 * leaves no exit status: it is lost. Throws where something lives on.
 */
export async function endOnDisk(executor: Executor, run: RunDir, reason: string): Promise<void> {
  if (processUnknown(executor, run)) {
    const [shim, ...others] = shimsOf(run);
    for (const { pid } of others) signal(-pid, 'SIGKILL');
    if (shim === undefined) {
      createExclusive(run.pid, 'unknown\n');
      // Old, it is not taken for one that a shim is about to write.
      utimesSync(run.pid, 0, 0);
      return;
    }
    writeAtomic(run.pid, `${shim.pid} ${shim.start} ${shim.boot}\n`);
  } else if (createExclusive(run.pid, neverStarts(reason))) return;
  const ended = existsSync(run.exit);
  // What is held still may not even be killed.
  await executor.freeze(run, false);
  await executor.kill(run);
  await executor.settle(run);
  if (executor.state(run).at === 'alive') {
    throw new Error(`the process of epoch ${run.epoch} in ${run.path} does not end`);
  }
  if (!ended) rmSync(run.exit, { force: true });
}

/** Shims of this epoch, by their arguments. They lead their groups and are of the runner's own user. */
function shimsOf(run: RunDir): ProcessId[] {
  const boot = bootId();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .flatMap((pid) => {
      const stat = statOf(pid);
      if (stat === null || stat.group !== pid || !isShim(pid, run.path)) return [];
      return [{ pid, start: stat.start, boot }];
    });
}

function isShim(pid: number, path: string): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.getuid?.()) return false;
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const name = args.indexOf('filepath-shim');
    return name !== -1 && args[name + 1] === path;
  } catch {
    return false;
  }
}
