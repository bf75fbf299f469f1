import type { RunnerHealth } from '@filepath/protocol';
import type { Place, RunTask } from '../executor/executor.ts';
import { notRun } from './not-run.ts';
import { failureOf, isClean, KEEP, snapshotEnvironment, snapshotOf } from '../git/snapshot.ts';

const TIMEOUT_MS = 60_000;
const REFS = 'refs/filepath/rescue';

export type Rescue = { rescued: RunnerHealth['rescued'] | null; note: string | null };

/**
 * Makes a commit of what an earlier process left uncommitted, under a ref of its own. The files stay as they are, and
 * so do index and branch. What was kept already is not kept again.
 */
export async function rescue(
  task: RunTask,
  place: Place,
  epoch: number,
  signal: AbortSignal,
): Promise<Rescue> {
  const ref = `${REFS}/${epoch}`;
  const message = `Uncommitted work of ${place.slug}, found before start ${epoch}`;
  const result = await task({
    place,
    environment: snapshotEnvironment(false),
    command: ['/bin/sh', '-c', KEEP, 'rescue', message, ref, REFS],
    timeoutMs: TIMEOUT_MS,
    signal,
  }).catch(notRun);
  if (isClean(result)) return { rescued: null, note: null };
  const snapshot = snapshotOf(result);
  if (snapshot === null) {
    // A repository without a commit or a file has nothing to lose.
    if (/there is no (commit|repository) in it\s*$/.test(result.output)) {
      return { rescued: null, note: null };
    }
    const why = failureOf(result, TIMEOUT_MS / 1000);
    return { rescued: null, note: `uncommitted work could not be looked for: ${why}` };
  }
  const { commit: hash, files, partial } = snapshot;
  const note = partial ? 'some files were not rescued: unreadable, too large or too many' : null;
  return { rescued: files === 0 ? null : { ref, hash, files }, note: files === 0 ? null : note };
}
