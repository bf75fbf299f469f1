import type { ConflictFile } from '@filepath/protocol';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, Refusal } from '../executor/executor.ts';
import { inWorkspace, intoFile, type WorkspaceTools } from '../jobs/workspace-command.ts';
import { PACK_BYTES, takePack } from './bring.ts';
import { conflictsOf } from './conflicts.ts';
import { CONFLICT, CONFLICT_BYTES, MERGE } from './merge-script.ts';
import type { MirrorRefs } from './mirror-refs.ts';

const TIMEOUT_MS = 120_000;
/** In the agent's directory, since the agent's user may not enter `jobs`. */
const SCRATCH = 'merging';

export type Joining = WorkspaceTools & {
  place: Place;
  mirror: string;
  refs: MirrorRefs;
  signal: AbortSignal;
  exclusively<T>(task: () => Promise<T>): Promise<T>;
};

type Pair = { ours: string; theirs: string; message: string };

/**
 * The commit that joins two of the mirror, with its objects in the mirror; or the files that could not be joined. Only a
 * commit whose parents are these two is taken. Throws a Refusal.
 */
export async function joinCommits(
  job: Joining,
  { ours, theirs, message }: Pair,
): Promise<string | { files: ConflictFile[]; truncated: boolean }> {
  const { place, mirror, refs } = job;
  const folder = join(place.dir, 'jobs', 'merge');
  const scratch = join(place.dir, SCRATCH);
  const clear = (): void => {
    for (const dir of [folder, scratch]) rmSync(dir, { recursive: true, force: true });
  };
  clear();
  for (const dir of [folder, scratch]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    if (place.uid !== null) chownSync(scratch, place.uid, place.uid);
    const output = join(folder, 'output');
    const kind = ours.length === 64 ? 'sha256' : 'sha1';
    await inWorkspace(job, {
      place,
      folder: SCRATCH,
      mirror,
      script: MERGE,
      args: [ours, theirs, message, kind],
      onStdout: intoFile(output, PACK_BYTES),
      timeoutMs: TIMEOUT_MS,
      signal: job.signal,
    });
    const conflict = conflictIn(output);
    if (conflict !== null) return conflictsOf(conflict);
    const fd = openSync(output, 'r');
    try {
      const commit = await takePack({ ...job, ref: null }, join(folder, 'checked.git'), fd);
      const parents = await refs.parentsOf(commit);
      if (parents.join() === [ours, theirs].join()) return commit;
      throw new Refusal('the merge gave another commit than was asked for');
    } finally {
      closeSync(fd);
    }
  } finally {
    clear();
  }
}

function conflictIn(path: string): Buffer | null {
  const head = Buffer.alloc(CONFLICT.length + 1);
  const fd = openSync(path, 'r');
  try {
    readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  if (head.toString('latin1') !== `${CONFLICT}\n`) return null;
  const bytes = readFileSync(path);
  if (bytes.length > CONFLICT_BYTES) throw new Refusal('the conflict is too large to be told');
  return bytes.subarray(head.length);
}
