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
import { mergedRef, MirrorRefs, sessionRef, takenRef, targetKey } from './mirror-refs.ts';
import type { Mirrors } from './mirrors.ts';
import { apartWords, type Branch, branchAt, withWaiting } from './waiting-work.ts';

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
  /** Where the ref stands, and the commit that is merged into. Null: the branch begins with the work. */
  old: string | null;
  ours: string | null;
  shown: string;
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
  const means: Means = {
    refs: new MirrorRefs(mirror, job.env, signal),
    mirror,
    exclusively: (task) => mirrors.exclusively(id, task),
  };
  const own = await job.targets.run(targetKey(id, place.slug), () => ownWork(job, means));
  const { target: into } = work;
  if (into.into === 'parent') {
    return job.targets.run(targetKey(id, into.slug), () =>
      mergeIntoParent(job, means, { into, own, id }),
    );
  }
  const { branch } = into;
  return job.targets.run(targetKey(id, branch), async () => {
    const target = await sessionTarget(means.refs, branch);
    return mergeInto(job, means, target, own);
  });
}

/** The work of an agent: its own commit, and with it what was merged into its branch. */
type Own = { tip: string; whole: string };

type Means = {
  refs: MirrorRefs;
  mirror: string;
  exclusively: <T>(task: () => Promise<T>) => Promise<T>;
};

async function ownWork(job: Merge, means: Means): Promise<Own> {
  const { place, work } = job;
  if (work.commit !== undefined) {
    const known = await means.refs.commit(work.commit);
    if (known === null) throw new Refusal(`the mirror has no commit ${work.commit} any more`);
    return { tip: known, whole: known };
  }
  const tip = await bringBack({ ...job, ...means, timeoutMs: TIMEOUT_MS });
  const branch = await branchAt(means.refs, place.slug, tip);
  const whole = await withWaiting({ ...job, ...means }, branch, work.name);
  if (typeof whole !== 'string') throw new Refusal(apartWords(work.name, whole));
  return { tip, whole };
}

type IntoParent = {
  into: { thread: ThreadId; name: string; atWork: boolean };
  own: Own;
  id: string;
};

async function mergeIntoParent(
  job: Merge,
  means: Means,
  { into, own, id }: IntoParent,
): Promise<MergeOutcome> {
  const { refs, mirror } = means;
  const parent = job.placeOf(into.thread);
  if (parent === null || !existsSync(join(parent.dir, 'workspace'))) {
    throw new Refusal(`${into.name} has no workspace here: send it a message first`);
  }
  if (recordedMirror(parent) !== id) {
    throw new Refusal(`${into.name} works on another repository`);
  }
  const folder = `bring-for-${job.place.slug}`;
  const tip = await bringBack({
    ...job,
    ...means,
    place: parent,
    folder,
    timeoutMs: TIMEOUT_MS,
  });
  const branch = await branchAt(refs, parent.slug, tip);
  const found = await parentTarget(job, means, { branch, shown: into.name, from: own.whole });
  const outcome = 'type' in found ? found : await mergeInto(job, means, found, own);
  if (outcome.type === 'conflict') return outcome;
  const { commit } = outcome;
  const taken =
    (await refs.isAncestor(commit, tip)) ||
    (!into.atWork && (await forward(job, parent, mirror, commit)));
  if (taken) await refs.set(takenRef(parent.slug), commit);
  return { ...outcome, taken };
}

type Onto = { branch: Branch; shown: string; from: string };

/** What waits for the parent is never left behind: it is in what is merged into, or in what is merged. */
async function parentTarget(
  job: Merge,
  means: Means,
  { branch, shown, from }: Onto,
): Promise<Target | MergeOutcome> {
  const { refs } = means;
  const { slug, tip, merged, waits } = branch;
  const target = (ours: string, old = merged): Target => ({
    ref: mergedRef(slug),
    old,
    ours,
    shown,
  });
  if (waits === null) return target(tip);
  for (const newer of [waits, from]) if (await refs.isAncestor(tip, newer)) return target(waits);
  if (await refs.isAncestor(waits, from)) return target(tip);
  const joined = await withWaiting({ ...job, ...means }, branch, shown);
  if (typeof joined === 'string') return target(joined, joined);
  // It conflicts with the parent itself, as what waits does or by what came since; else it is not what is in the way.
  const { files, truncated } = joined;
  const conflict = { type: 'conflict' as const, from, ours: tip };
  if (await refs.isAncestor(from, waits)) return { ...conflict, files, truncated };
  const alone = await joinCommits(
    { ...job, ...means },
    { ours: tip, theirs: from, message: messageOf(job, shown) },
  );
  if (typeof alone !== 'string') return { ...conflict, ...alone };
  throw new Refusal(apartWords(shown, joined));
}

async function sessionTarget(refs: MirrorRefs, branch: string): Promise<Target> {
  const ref = sessionRef(branch);
  const old = await refs.commit(ref);
  return { ref, old, ours: old ?? (await refs.commit('HEAD')), shown: branch };
}

const messageOf = ({ work }: Merge, shown: string): string =>
  `Merge the work of ${work.name} into ${shown}`;

async function mergeInto(
  job: Merge,
  means: Means,
  { ref, old, ours, shown }: Target,
  { tip, whole: from }: Own,
): Promise<MergeOutcome> {
  const { refs, exclusively } = means;
  const { mode, name } = job.work;
  const done = (commit: string, how: 'ff' | 'merge' | 'none'): MergeOutcome => ({
    type: 'merged',
    from: tip,
    commit,
    before: ours ?? commit,
    how,
    taken: false,
  });
  const set = (commit: string): Promise<void> => exclusively(() => refs.move(ref, commit, old));
  if (ours === null) {
    await set(from);
    return done(from, 'ff');
  }
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
  const pair = { ours, theirs: from, message: messageOf(job, shown) };
  const joined = await joinCommits({ ...job, ...means }, pair);
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
