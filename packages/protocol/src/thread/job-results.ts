import { z } from 'zod';
import { SnapshotManifest } from '../api/snapshot.ts';
import { BranchName } from '../git/branch-name.ts';
import { CommitHash } from '../git/commit-hash.ts';
import { JobId, SnapshotId } from '../ids.ts';
import { GateResult } from './gates.ts';

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
    type: z.literal('job_failed'),
    job: JobId,
    work: z.enum(['push', 'snapshot', 'gate']),
    /** Why, and what to do. */
    reason: z.string().max(4096),
  }),
]);
export type JobResult = z.infer<typeof JobResult>;
