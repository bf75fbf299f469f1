import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { syncAll } from '../files.ts';
import { recordBase } from '../git/base.ts';
import type { Restore } from '../snapshot/restore.ts';
import { type Making, makeWorkspace } from './make-workspace.ts';
import { type Place, type Prepared, Refusal, type WorkspaceSource } from './executor.ts';

/** How new workspaces are made. */
export type Workspaces = Pick<Making, 'mirrors' | 'task' | 'hold' | 'clone'> & {
  /** Into an empty folder of the agent's directory. Throws a Refusal. */
  restore(folder: string, snapshot: Restore): Promise<void>;
};

/** Makes `workspace` and `home` where they are missing. Repeatable. Throws a Refusal. */
export async function prepareWorkspace(
  workspaces: Workspaces,
  place: Place,
  source: WorkspaceSource,
  signal: AbortSignal,
): Promise<Prepared> {
  if (place.uid !== null) {
    // Its own group may enter the directory, and nothing but what it owns in there.
    chownSync(place.dir, 0, place.uid);
    chmodSync(place.dir, 0o710);
  }
  own(join(place.dir, 'home'), place.uid);
  const workspace = join(place.dir, 'workspace');
  if (lstatSync(workspace, { throwIfNoEntry: false }) !== undefined) {
    own(workspace, place.uid);
    return { note: null, start: null };
  }
  const into = join(place.dir, 'workspace.new');
  const empty = (): void => {
    rmSync(into, { recursive: true, force: true });
    own(into, place.uid);
  };
  const make = async (): Promise<Prepared> => {
    if (source.snapshot === undefined) {
      return makeWorkspace({ ...workspaces, place, source, into, empty }, signal);
    }
    empty();
    await workspaces.restore(basename(into), source.snapshot);
    recordBase(place, into);
    return { note: null, start: null };
  };
  const made = await make();
  renameSync(into, workspace);
  await syncAll([place.dir]);
  return made;
}

/** A directory of the agent's. The one above it is not the agent's, so no link can stand in its place. */
function own(path: string, uid: number | null): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Whoever put something else there: what it leads to is given to no agent.
  if (found?.isDirectory() === false) {
    throw new Refusal(`${basename(path)} of the agent is no directory: remove it: ${path}`);
  }
  if (found === undefined) mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid !== null) chownSync(path, uid, uid);
  // An agent may have shut itself out.
  chmodSync(path, statSync(path).mode | 0o700);
}
