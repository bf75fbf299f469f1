import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { syncAll } from '../files.ts';
import type { Mirror, Mirrors } from '../git/mirrors.ts';
import { recordMirror } from './borrowed-mirror.ts';
import type { Place, Prepared, WorkspaceSource } from './executor.ts';

/** A clone to be made where the content of the repository can do no harm. */
export type CloneJob = {
  uid: number | null;
  /** An empty directory that the agent's user may write. */
  into: string;
  /** The agent's directory, which holds `into`. */
  dir: string;
  mirror: Mirror;
  branch: string;
  signal: AbortSignal;
};

export type Workspaces = { mirrors: Mirrors; clone: (job: CloneJob) => Promise<void> };

/** Makes `workspace` and `home` where they are missing. Repeatable. Throws a Refusal. */
export async function prepareWorkspace(
  { mirrors, clone }: Workspaces,
  place: Place,
  source: WorkspaceSource,
  signal: AbortSignal,
): Promise<Prepared> {
  const { repository } = source;
  if (place.uid !== null) {
    // Its own group may enter the directory, and nothing but what it owns in there.
    chownSync(place.dir, 0, place.uid);
    chmodSync(place.dir, 0o710);
  }
  own(join(place.dir, 'home'), place.uid);
  const workspace = join(place.dir, 'workspace');
  if (existsSync(workspace) || repository === null) {
    own(workspace, place.uid);
    return { note: null };
  }
  const mirror = await mirrors.update({
    repository,
    signal,
    progress: (step) => source.progress(step),
  });
  const fresh = join(place.dir, 'workspace.new');
  rmSync(fresh, { recursive: true, force: true });
  own(fresh, place.uid);
  await clone({
    uid: place.uid,
    into: fresh,
    dir: place.dir,
    mirror,
    branch: `filepath/${place.slug}`,
    signal,
  });
  recordMirror(place, mirror.id);
  renameSync(fresh, workspace);
  await syncAll([place.dir]);
  return { note: mirror.note };
}

/** A directory of the agent's. The one above it is not the agent's, so no link can stand in its place. */
function own(path: string, uid: number | null): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid !== null) chownSync(path, uid, uid);
  // An agent may have shut itself out.
  chmodSync(path, statSync(path).mode | 0o700);
}
