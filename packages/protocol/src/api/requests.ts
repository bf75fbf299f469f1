import { z } from 'zod';
import { Budget } from '../gateway/usage.ts';
import { BranchName } from '../git/branch-name.ts';
import { SnapshotId, ThreadId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { AgentTypeName } from '../catalog/entry.ts';
import { AttachmentRef, FILE_LIMITS } from '../thread/attachments.ts';
import { Delivery } from '../thread/queue.ts';
import { AgentConfig } from './agent-config.ts';
import { NodeName } from './node-name.ts';

export const NodeCreate = z.strictObject({
  parentId: ThreadId.nullish(),
  name: NodeName.optional(),
  agentType: AgentTypeName,
  model: z.string().max(200).optional(),
  config: AgentConfig.optional(),
  /** The snapshot that the workspace is made from, in place of the session's repository. */
  snapshot: SnapshotId.optional(),
  /** Of the node and everything below it. */
  budget: Budget.optional(),
});
export type NodeCreate = z.infer<typeof NodeCreate>;

/** An https, ssh or git URL, or an absolute path on the runner's machine. */
export const GitRepoUrl = z
  .string()
  .max(4096)
  .regex(
    /^(https?:\/\/|ssh:\/\/|git:\/\/|git@[\w.-]+:|\/)[^\s\0]+$/,
    "expected an https, ssh or git URL, or an absolute path on the runner's machine",
  );

export const RepositoryCheckCreate = z.strictObject({ gitRepoUrl: GitRepoUrl });

export const SessionCreate = z.strictObject({
  name: NodeName.optional(),
  gitRepoUrl: GitRepoUrl.nullish(),
  root: NodeCreate.omit({ parentId: true }).optional(),
  budget: Budget.optional(),
});
export type SessionCreate = z.infer<typeof SessionCreate>;

export const SessionPatch = z.strictObject({ name: NodeName.optional() });
export type SessionPatch = z.infer<typeof SessionPatch>;

export const NodePatch = z.strictObject({
  name: NodeName.optional(),
  model: z.string().max(200).optional(),
  config: AgentConfig.optional(),
  /** Moves it with everything below it: under that node, or null to the root. */
  parentId: ThreadId.nullable().optional(),
  /** The sibling that it is to stand before; null, or a new parent alone, puts it last. */
  before: ThreadId.nullable().optional(),
  /** Accepted as a signal: stop, pause or resume. Status itself comes from the log. */
  status: z.string().optional(),
});
export type NodePatch = z.infer<typeof NodePatch>;

export const MessageCreate = z.strictObject({
  content: z
    .string()
    .min(1)
    .refine((text) => new TextEncoder().encode(text).length <= LIMITS.message, 'message too long'),
  /** Unless given: `now` to an agent that can be steered, `after` to one that cannot. */
  deliver: Delivery.optional(),
  /** Files that the thread keeps. */
  attachments: z.array(AttachmentRef).max(FILE_LIMITS.message).optional(),
});
export type MessageCreate = z.infer<typeof MessageCreate>;

export const QueuePatch = MessageCreate.pick({ content: true });
export type QueuePatch = z.infer<typeof QueuePatch>;

/** The answer to what an agent asks. */
export const DecisionCreate = z.strictObject({
  /** One of the options. */
  choice: z.string().max(65536),
  /** What the agent gets beside the choice. */
  input: z
    .unknown()
    .refine(
      (value) => (JSON.stringify(value) ?? '').length <= 65536,
      'expected at most 64 KiB of JSON',
    )
    .optional(),
  /** What was asked, by content: an answer to something else is refused. */
  hash: z.string().max(512).optional(),
});
export type DecisionCreate = z.infer<typeof DecisionCreate>;

export const PushCreate = z.strictObject({
  /** Of the remote; the agent's own, `filepath/{slug}`, unless told. */
  branch: BranchName.optional(),
  /** Takes the place of other commits on that branch. */
  force: z.boolean().optional(),
  /** Whose branch; the agent's own unless told. */
  of: z.enum(['agent', 'session']).optional(),
});
export type PushCreate = z.infer<typeof PushCreate>;

export const SignalCreate = z
  .strictObject({
    action: z.enum(['stop', 'pause', 'resume', 'handoff']),
    /** Of a pause: why, and when it ends by itself. */
    reason: z.string().trim().min(1).max(400).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(
    ({ action, reason, until }) => action === 'pause' || (reason ?? until) === undefined,
    'reason and until are for a pause',
  );
export type SignalCreate = z.infer<typeof SignalCreate>;
