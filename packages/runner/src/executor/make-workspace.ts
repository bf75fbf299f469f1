import { recordBase } from '../git/base.ts';
import type { Mirror, Mirrors } from '../git/mirrors.ts';
import { hasRepository, type ParentStart, parentStart, shownStart } from '../git/parent-start.ts';
import { reasonOf } from '../log.ts';
import { recordedMirror, recordMirror } from './borrowed-mirror.ts';
import { MIRROR } from './clone.ts';
import {
  type Place,
  type Prepared,
  Refusal,
  type RunTask,
  type WorkspaceSource,
} from './executor.ts';

/** A clone to be made where the content of the repository can do no harm. */
export type CloneJob = {
  uid: number | null;
  /** An empty directory that the agent's user may write. */
  into: string;
  /** The agent's directory, which holds `into`. */
  dir: string;
  /** Null: no objects are borrowed. */
  mirror: Mirror | null;
  branch: string;
  /** The commit to start at, and the objects for it that the mirror may lack. */
  start: { commit: string; pack: number | null } | null;
  /** Control groups that hold it. */
  groups: readonly string[];
  signal: AbortSignal;
};

export type Making = {
  place: Place;
  source: WorkspaceSource;
  /** Where it is made, by `empty` each time anew. */
  into: string;
  empty(): void;
  mirrors: Mirrors;
  task: RunTask;
  /** Control groups with the limits of an agent. */
  hold(): { groups: string[]; release(): Promise<void> };
  /** Throws a Refusal. */
  clone(job: CloneJob): Promise<void>;
};

/** A new workspace: where its parent's work stands, else the repository, else empty. Throws a Refusal. */
export async function makeWorkspace(making: Making, signal: AbortSignal): Promise<Prepared> {
  const { source, mirrors } = making;
  const { repository } = source;
  const mirror =
    repository === null
      ? null
      : await mirrors.update({ repository, signal, progress: (step) => source.progress(step) });
  const note = mirror?.note ?? null;
  const { parent } = source;
  if (parent !== null && (mirror !== null || hasRepository(parent))) {
    try {
      return { note, start: await fromParent(making, parent, mirror, signal) };
    } catch (error) {
      if (signal.aborted) throw error;
      await plain(making, mirror, signal);
      const where = mirror === null ? 'in an empty folder' : 'from the repository';
      const start = `${where}, not from its parent ${parent.slug}: ${reasonOf(error)}`;
      return { note, start: start.slice(0, 1000) };
    }
  }
  await plain(making, mirror, signal);
  return { note, start: null };
}

async function plain(making: Making, mirror: Mirror | null, signal: AbortSignal): Promise<void> {
  making.empty();
  if (mirror !== null) await make(making, mirror, null, signal);
}

async function fromParent(
  making: Making,
  parent: Place,
  mirror: Mirror | null,
  signal: AbortSignal,
): Promise<string> {
  if (!hasRepository(parent)) throw new Refusal('it has no repository');
  if (recordedMirror(parent) !== (mirror?.id ?? null))
    throw new Refusal('it works on another remote');
  const at = mirror === null ? null : MIRROR;
  const start = await parentStart(making.task, parent, making.place, at, signal);
  try {
    making.empty();
    await make(making, mirror, start, signal);
  } finally {
    start.close();
  }
  return shownStart(parent, start.snapshot);
}

async function make(
  making: Making,
  mirror: Mirror | null,
  start: ParentStart | null,
  signal: AbortSignal,
): Promise<void> {
  const { place, into } = making;
  // What another agent made is taken apart under limits.
  const held = start === null ? null : making.hold();
  try {
    await making.clone({
      uid: place.uid,
      into,
      dir: place.dir,
      mirror,
      branch: `filepath/${place.slug}`,
      start: start === null ? null : { commit: start.snapshot.commit, pack: start.pack },
      groups: held?.groups ?? [],
      signal,
    });
  } finally {
    void held?.release();
  }
  if (mirror !== null) recordMirror(place, mirror.id);
  recordBase(place, into);
}
