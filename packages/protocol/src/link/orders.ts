import { z } from 'zod';
import { JobId, SessionId, ThreadId } from '../ids.ts';
import { AgentConfig } from '../api/agent-config.ts';
import { SnapshotSource } from '../api/snapshot.ts';
import { BranchName } from '../git/branch-name.ts';
import { CommitHash } from '../git/commit-hash.ts';
import { Gates } from '../thread/gates.ts';
import { MergeMode, MergeTarget } from '../git/merge.ts';

/** A line for an agent's stdin. Ids count from 1 in each epoch; an id is written once. */
export const InputLine = z.strictObject({ id: z.int().min(1), line: z.string() });
export type InputLine = z.infer<typeof InputLine>;

const Slug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/);

export const StartOrder = z.strictObject({
  kind: z.literal('start'),
  thread: ThreadId,
  session: SessionId,
  epoch: z.int().min(1),
  slug: Slug,
  agentType: z.string(),
  model: z.string(),
  config: AgentConfig,
  apiKey: z.string(),
  task: z.string(),
  gitRepoUrl: z.string().nullable(),
  /** Whose work a new workspace goes on with. None: the agent is a root. */
  parent: z.strictObject({ thread: ThreadId, slug: Slug }).optional(),
  /** What the workspace is made from, where there is none yet. */
  snapshot: SnapshotSource.optional(),
  /** It begins a new conversation: the last one was handed off. */
  fresh: z.literal(true).optional(),
  inputs: z.array(InputLine),
});
export type StartOrder = z.infer<typeof StartOrder>;

/** Ends the process of this epoch: the inputs (the stop signal last), grace, TERM, KILL. */
export const StopOrder = z.strictObject({
  kind: z.literal('stop'),
  thread: ThreadId,
  epoch: z.int().min(1),
  graceMs: z.int().min(0).max(600_000),
  inputs: z.array(InputLine),
  /** The limit for which it is ended: its exit says so. Without one a person has stopped it. */
  limit: z.string().max(512).optional(),
  /** Another process takes its place: its exit says so. */
  handoff: z.literal(true).optional(),
});
export type StopOrder = z.infer<typeof StopOrder>;

/** Holds the process of this epoch still, or lets it go on. */
export const FreezeOrder = z.strictObject({
  kind: z.literal('freeze'),
  thread: ThreadId,
  epoch: z.int().min(1),
  /** The signal's place in the log: a later order overrides an earlier one. */
  seq: z.int().min(1),
  frozen: z.boolean(),
});
export type FreezeOrder = z.infer<typeof FreezeOrder>;

/** The node is deleted: end its process at once and put its home aside. */
export const RemoveOrder = z.strictObject({
  kind: z.literal('remove'),
  thread: ThreadId,
  slug: z.string(),
});
export type RemoveOrder = z.infer<typeof RemoveOrder>;

/** What a job does with an agent's workspace, whether the agent runs or not. */
export const JobWork = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('push'),
    /** With the credentials that its URL may carry. */
    repository: z.string(),
    branch: BranchName.optional(),
    force: z.boolean(),
    /** The session's branch is pushed, in place of the agent's. */
    session: BranchName.optional(),
  }),
  z.strictObject({
    type: z.literal('merge'),
    /** Of the agent whose work it is. */
    name: z.string(),
    target: MergeTarget,
    mode: MergeMode.optional(),
    /** This commit of the agent's, which was merged before, in place of where its branch stands. */
    commit: CommitHash.optional(),
    /** Said again in the result of a conflict. */
    hand: z.boolean(),
  }),
  z.strictObject({ type: z.literal('snapshot') }),
  z.strictObject({
    type: z.literal('gate'),
    /** The start whose work is tested: a later start, and a stop of this one, call it off. */
    epoch: z.int().min(1),
    /** Unless given, those that the repository declared. */
    gates: Gates.optional(),
    envVars: AgentConfig.shape.envVars,
    /** What the process had been told when it called its work done. One that was told more since is not held still. */
    inputs: z.int().min(0).optional(),
  }),
]);
export type JobWork = z.infer<typeof JobWork>;

/** Work that ends with one result, which the runner tells until the worker has stored it. */
export const JobOrder = z.strictObject({
  kind: z.literal('job'),
  id: JobId,
  thread: ThreadId,
  slug: z.string(),
  do: JobWork,
});
export type JobOrder = z.infer<typeof JobOrder>;

export const Order = z.discriminatedUnion('kind', [
  StartOrder,
  StopOrder,
  FreezeOrder,
  RemoveOrder,
  JobOrder,
]);
export type Order = z.infer<typeof Order>;
