import { z } from 'zod';
import { JobId, ThreadId } from '../ids.ts';
import { BranchName } from './branch-name.ts';
import { CommitHash } from './commit-hash.ts';

/** Into whose branch: that of the parent, or the session's own. */
export const MergeInto = z.enum(['parent', 'session']);
export type MergeInto = z.infer<typeof MergeInto>;

/** `ff`: fast-forward or nothing. `merge`: a merge commit in any case. Unless told: whichever is possible, in this order. */
export const MergeMode = z.enum(['ff', 'merge']);

export const MergeCreate = z.strictObject({
  /** Unless told its parent's branch, and for a root the session's. */
  into: MergeInto.optional(),
  mode: MergeMode.optional(),
  /** `agent`: a conflict becomes a task of the agent whose work it is. */
  onConflict: z.enum(['tell', 'agent']).default('tell'),
});
export type MergeCreate = z.infer<typeof MergeCreate>;

/** Whose task a conflict becomes: the agent whose work it is, its parent, or an agent that is made for it. */
export const ResolveBy = z.enum(['agent', 'parent', 'new']);
export type ResolveBy = z.infer<typeof ResolveBy>;

export const MergeResolve = z.strictObject({ by: ResolveBy.default('agent') });
export type MergeResolve = z.infer<typeof MergeResolve>;

/** Where a merge leads, as the runner is told. */
export const MergeTarget = z.discriminatedUnion('into', [
  z.strictObject({
    into: z.literal('parent'),
    thread: ThreadId,
    slug: z.string(),
    name: z.string(),
    /** Its workspace is left alone: it is told of the commit. */
    atWork: z.boolean(),
  }),
  z.strictObject({ into: z.literal('session'), branch: BranchName }),
]);
export type MergeTarget = z.infer<typeof MergeTarget>;

export const CONFLICT_FILES = 100;

/** A file that both changed, with the parts that could not be joined, by git's marks. */
export const ConflictFile = z.strictObject({
  path: z.string().min(1).max(4096),
  hunks: z.array(z.string()),
});
export type ConflictFile = z.infer<typeof ConflictFile>;

/** Work that was merged into a node's branch and that its workspace does not have yet. */
export const NodeWaiting = z.object({
  /** All of it; `git merge` in the workspace takes it. */
  commit: CommitHash,
  /** Whose it is, and which commit of theirs. */
  of: z.array(z.object({ node: ThreadId, name: z.string(), from: CommitHash })),
});
export type NodeWaiting = z.infer<typeof NodeWaiting>;

/** What a node shows of a merge that could not be done, until one is. */
export const NodeConflict = z.object({
  into: MergeInto,
  /** Name of the parent, or the session's branch. */
  target: z.string(),
  /** The commit that the agent's work is to be joined with. */
  ours: CommitHash,
  /** The agent's work, as it was when they were to be joined. */
  theirs: CommitHash.optional(),
  files: z.array(z.string()),
  /** An agent has it as a task: `holder`, or the one whose work it is. */
  handed: z.boolean(),
  holder: ThreadId.optional(),
  /** Where the task stands in the log of whoever has it; a run that ends after this lets the merge be asked for again. */
  told: z.int().min(0).optional(),
  /** The merge that met it. */
  job: JobId.optional(),
  /** By what it is told from an equal one later: it came, or was given back, with this change of the tree. */
  seq: z.int().min(0).default(0),
});
export type NodeConflict = z.infer<typeof NodeConflict>;

/** Another agent that changed the same lines. */
export const NodeOverlap = z.object({ node: ThreadId, files: z.array(z.string()) });
export type NodeOverlap = z.infer<typeof NodeOverlap>;
