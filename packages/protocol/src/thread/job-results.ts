import { z } from 'zod';
import { SnapshotManifest } from '../api/snapshot.ts';
import { BranchName } from '../git/branch-name.ts';
import { CommitHash } from '../git/commit-hash.ts';
import { CONFLICT_FILES, ConflictFile, MergeInto } from '../git/merge.ts';
import { JobId, SnapshotId, ThreadId } from '../ids.ts';
import { GateResult } from './gates.ts';

/** Whose work it is, and into what: the parent's name or the session's branch. */
const merge = {
  node: ThreadId,
  name: z.string(),
  into: MergeInto,
  target: z.string(),
  /** Whose branch it was, where it is the parent's: the agent may have another parent since. */
  parent: ThreadId.optional(),
  /** The agent's commit. */
  from: CommitHash,
};

/** How a job of the runner ended: a body of an event with source `system`. */
export const JobResult = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('pushed'),
    job: JobId,
    /** Without credentials. */
    remote: z.string().max(4096),
    branch: BranchName,
    commit: CommitHash,
  }),
  z.strictObject({
    type: z.literal('snapshot'),
    job: JobId,
    snapshot: SnapshotId,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** Of the archive. */
    size: z.int().min(1),
    manifest: SnapshotManifest,
  }),
  GateResult,
  z.strictObject({
    type: z.literal('merged'),
    job: JobId,
    ...merge,
    /** The branch is here now, and was there before. */
    commit: CommitHash,
    before: CommitHash,
    /** `none`: it had all of the work already. */
    how: z.enum(['ff', 'merge', 'none']),
    /** The workspace of the target has it; where it is not, its agent is told which commit to merge. */
    taken: z.boolean(),
  }),
  z.strictObject({
    type: z.literal('conflict'),
    job: JobId,
    ...merge,
    /** The commit of the target that the work is to be joined with. */
    ours: CommitHash,
    files: z.array(ConflictFile).max(CONFLICT_FILES),
    /** Files or parts of them are left out. */
    truncated: z.boolean(),
    /** It was asked to become a task of the agent. */
    hand: z.boolean(),
  }),
  z.strictObject({
    type: z.literal('job_failed'),
    job: JobId,
    work: z.enum(['push', 'snapshot', 'gate', 'merge']),
    /** Why, and what to do. */
    reason: z.string().max(4096),
  }),
]);
export type JobResult = z.infer<typeof JobResult>;
