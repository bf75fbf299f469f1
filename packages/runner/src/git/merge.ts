import type { ConflictFile, JobWork, ThreadId } from '@filepath/protocol';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { borrowedMirror, recordedMirror } from '../executor/borrowed-mirror.ts';
import { type Place, Refusal } from '../executor/executor.ts';
import { inWorkspace, type WorkspaceTools } from '../jobs/workspace-command.ts';
import type { Mailbox } from '../mailbox.ts';
import { bringBack } from './bring.ts';
import { joinCommits } from './join-commits.ts';
import { FORWARD } from './merge-script.ts';
import { mergedRef, MirrorRefs, sessionRef } from './mirror-refs.ts';
import type { Mirrors } from './mirrors.ts';

const TIMEOUT_MS = 120_000;

export type Merge = WorkspaceTools & {
  place: Place;
  mirrors: Mirrors;
  work: Extract<JobWork, { type: 'merge' }>;
  /** The home of another agent on this machine, or null. */
  placeOf(thread: ThreadId): Place | null;
  /** One merge into a branch at a time. */
  targets: Mailbox;
  signal: AbortSignal;
};

export type MergeOutcome =
  | {
      type: 'merged';
      from: string;
      commit: string;
      before: string;
      how: 'ff' | 'merge' | 'none';
      taken: boolean;
    }
  | { type: 'conflict'; from: string; ours: string; files: ConflictFile[]; truncated: boolean };

/** A branch of the mirror that work is merged into. */
type Target = {
  ref: string;
  /** Where the ref stands, and the commit that is merged into. */
  old: string | null;
  ours: string;
  shown: string;
  /** The agent whose workspace is to have it. */
  parent: Place | null;
};

/**
 * Merges an agent's branch into its parent's or the session's, in the mirror. Both are brought there first; what joins them
 * runs in a sandbox, on a repository made for it. Repeatable: a target that has the work already says so. Throws a Refusal.
 */
export async function merge(job: Merge): Promise<MergeOutcome> {
  const { place, mirrors, work, signal } = job;
  const id = recordedMirror(place);
  const mirror = borrowedMirror(place, mirrors);
  if (id === null || mirror === null) {
    throw new Refusal('its workspace was not made from a repository: there is no branch to merge');
  }
  const exclusively = <T>(task: () => Promise<T>): Promise<T> => mirrors.exclusively(id, task);
  const bring = { ...job, mirror, exclusively, timeoutMs: TIMEOUT_MS };
  const from = await bringBack(bring);
  const { target: into } = work;
  const key = into.into === 'parent' ? into.thread : into.branch;
  return job.targets.run(`${id}/${key}`, async () => {
    const refs = new MirrorRefs(mirror, job.env, signal);
    const target =
      into.into === 'parent'
        ? await parentTarget(job, { bring, refs, id }, into)
        : await sessionTarget(refs, into.branch);
    const outcome = await mergeInto(job, { refs, mirror, exclusively }, target, from);
    if (outcome.type === 'conflict' || target.parent === null) return outcome;
    const atWork = into.into === 'parent' && into.atWork;
    const taken = atWork ? false : await forward(job, target.parent, mirror, outcome.commit);
    return { ...outcome, taken };
  });
}

type Bringing = { bring: Parameters<typeof bringBack>[0]; refs: MirrorRefs; id: string };

async function parentTarget(
  job: Merge,
  { bring, refs, id }: Bringing,
  into: { thread: ThreadId; slug: string; name: string },
): Promise<Target> {
  const parent = job.placeOf(into.thread);
  if (parent === null || !existsSync(join(parent.dir, 'workspace'))) {
    throw new Refusal(`${into.name} has no workspace here: send it a message first`);
  }
  if (recordedMirror(parent) !== id) {
    throw new Refusal(`${into.name} works on another repository`);
  }
  const folder = `bring-for-${job.place.slug}`;
  const tip = await bringBack({ ...bring, place: parent, folder });
  const ref = mergedRef(parent.slug);
  const old = await refs.commit(ref);
  // Earlier merges that its workspace does not have yet are gone on from, unless it went another way.
  const waiting = old !== null && (await refs.isAncestor(tip, old));
  return { ref, old, ours: waiting && old !== null ? old : tip, shown: into.name, parent };
}

async function sessionTarget(refs: MirrorRefs, branch: string): Promise<Target> {
  const ref = sessionRef(branch);
  const old = await refs.commit(ref);
  const ours = old ?? (await refs.commit('HEAD'));
  if (ours === null) throw new Refusal('the repository has no commit to begin a branch at');
  return { ref, old, ours, shown: branch, parent: null };
}

type Means = {
  refs: MirrorRefs;
  mirror: string;
  exclusively: <T>(task: () => Promise<T>) => Promise<T>;
};

async function mergeInto(
  job: Merge,
  means: Means,
  { ref, old, ours, shown }: Target,
  from: string,
): Promise<MergeOutcome> {
  const { refs, exclusively } = means;
  const { mode, name } = job.work;
  const done = (commit: string, how: 'ff' | 'merge' | 'none'): MergeOutcome => ({
    type: 'merged',
    from,
    commit,
    before: ours,
    how,
    taken: false,
  });
  const set = (commit: string): Promise<void> => exclusively(() => refs.move(ref, commit, old));
  if (await refs.isAncestor(from, ours)) {
    if (old !== ours) await set(ours);
    return done(ours, 'none');
  }
  const ahead = await refs.isAncestor(ours, from);
  if (ahead && mode !== 'merge') {
    await set(from);
    return done(from, 'ff');
  }
  if (!ahead && mode === 'ff') {
    throw new Refusal(
      `${shown} has commits that ${name} has not: merge without \`ff\`, or let ${name} merge ${ours} first`,
    );
  }
  const message = `Merge the work of ${name} into ${shown}`;
  const joined = await joinCommits({ ...job, ...means }, { ours, theirs: from, message });
  if (typeof joined !== 'string') return { type: 'conflict', from, ours, ...joined };
  await set(joined);
  return done(joined, 'merge');
}

/** Gives a workspace in which nothing is changed what was merged. Says whether it has it. */
async function forward(job: Merge, parent: Place, mirror: string, to: string): Promise<boolean> {
  try {
    await inWorkspace(job, {
      place: parent,
      mirror,
      script: FORWARD,
      args: [to, `filepath/${parent.slug}`],
      timeoutMs: TIMEOUT_MS,
      signal: job.signal,
    });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
