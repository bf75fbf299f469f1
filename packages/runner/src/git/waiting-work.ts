import { type ConflictFile, shownPath } from '@filepath/protocol';
import { type Joining, joinCommits } from './join-commits.ts';
import { mergedRef, type MirrorRefs, takenRef } from './mirror-refs.ts';

/** An agent's branch as its workspace has it, and what was merged into it that the workspace has not taken. */
export type Branch = {
  slug: string;
  tip: string;
  /** Where `refs/merged` stands. */
  merged: string | null;
  waits: string | null;
};

export type Apart = { ours: string; waits: string; files: ConflictFile[]; truncated: boolean };

/** What a workspace had once waits no more, whatever its agent made of it since. */
export async function branchAt(refs: MirrorRefs, slug: string, tip: string): Promise<Branch> {
  const merged = await refs.commit(mergedRef(slug));
  if (merged === null) return { slug, tip, merged, waits: null };
  const taken = await refs.commit(takenRef(slug));
  if (taken !== null && (await refs.isAncestor(merged, taken))) {
    return { slug, tip, merged, waits: null };
  }
  if (!(await refs.isAncestor(merged, tip))) return { slug, tip, merged, waits: merged };
  await refs.set(takenRef(slug), merged);
  return { slug, tip, merged, waits: null };
}

/** The commit with both, which is kept as what waits; or why there is none. */
export async function withWaiting(
  job: Joining,
  { slug, tip, waits }: Branch,
  shown: string,
): Promise<string | Apart> {
  const { refs } = job;
  if (waits === null) return tip;
  if (await refs.isAncestor(tip, waits)) return waits;
  const message = `Merge what was merged into ${shown} before`;
  const joined = await joinCommits(job, { ours: tip, theirs: waits, message });
  if (typeof joined !== 'string') return { ours: tip, waits, ...joined };
  await job.exclusively(() => refs.move(mergedRef(slug), joined, waits));
  return joined;
}

const NAMED = 5;

/** For whoever asked for something that needs both. */
export function apartWords(shown: string, { waits, files }: Apart): string {
  const named = files.slice(0, NAMED).map(({ path }) => shownPath(path));
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  return `what was merged into ${shown} before, and waits to be taken, conflicts with what ${shown} has committed since (${named.join(', ')}${more}). Let ${shown} run \`git merge ${waits}\` and resolve it, or merge the work that waits again and resolve its conflict; then ask again`;
}
