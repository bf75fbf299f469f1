import { z } from 'zod';
import { AgentState } from '../fap/events.ts';
import { Budget, UsageTotals } from '../gateway/usage.ts';
import { NodeWork } from '../git/changes.ts';
import { NodeConflict, NodeOverlap, NodeWaiting } from '../git/merge.ts';
import { SessionId, ThreadId } from '../ids.ts';
import { AgentTypeName } from '../catalog/entry.ts';
import { AgentConfig } from './agent-config.ts';

export const SessionStatus = z.enum(['draft', 'running', 'paused', 'stopped', 'error']);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** Whether an agent works or is to; else whether the roots are done. */
export const SessionActivity = z.enum(['running', 'done', 'idle']);
export type SessionActivity = z.infer<typeof SessionActivity>;

export const Session = z.object({
  id: SessionId,
  name: z.string(),
  gitRepoUrl: z.string().nullable(),
  status: SessionStatus,
  rootNodeId: ThreadId.nullable(),
  nodeCount: z.int().min(0),
  /** What its agents come down to; only lists have it. */
  activity: SessionActivity.optional(),
  /** What its agents used, in a list of sessions as the session last told it; and its budget, which lists leave out. */
  usage: UsageTotals.optional(),
  budget: Budget.optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Session = z.infer<typeof Session>;

/** A provider lets an agent go on at a time only. */
const NodeLimit = z.object({
  reason: z.string(),
  until: z.iso.datetime(),
  /** Of the event of its thread that told it. */
  seq: z.int().min(0),
});

export const NodeFailure = z.object({
  /** Of the event of its thread by which it failed. */
  seq: z.int().min(0),
  reason: z.string().nullable(),
});

export const Node = z.object({
  id: ThreadId,
  sessionId: SessionId,
  parentId: ThreadId.nullable(),
  name: z.string(),
  slug: z.string(),
  agentType: AgentTypeName,
  model: z.string(),
  status: AgentState,
  reason: z.string().nullable(),
  /** Its place in line for a start: 1 is next; beyond 50 rounded up to a multiple of 50. Null where it waits for none. */
  queue: z.int().min(1).nullable(),
  config: AgentConfig,
  sortOrder: z.int(),
  /** What a budget in tokens counts of `usage`. */
  tokens: z.int().min(0),
  /** What the node itself used, and what it used with everything below it. */
  usage: UsageTotals,
  subtree: UsageTotals,
  /** Of the node and everything below it. */
  budget: Budget,
  /** Why its last call to a model was refused for want of budget; null once one is let through, or it is stopped. */
  blocked: z.string().nullable(),
  blockedAt: z.iso.datetime().optional(),
  contextPct: z.number().nullable(),
  /** Completed and all leaves below this node; a leaf counts itself. */
  done: z.int().min(0),
  total: z.int().min(0),
  /** What it changed, as was last told: after a commit, and when a process ended; absent: nothing was told. */
  work: NodeWork.optional(),
  /** Siblings, its parent or children that changed the same lines of a file; absent: none. */
  overlaps: z.array(NodeOverlap).optional(),
  /** Its work could not be merged; absent: it could, or was not asked for. */
  conflict: NodeConflict.optional(),
  /** By what it failed; absent: it did not, or it was told to go on, or to stop. */
  failure: NodeFailure.optional(),
  /** What was merged into its branch and waits to be taken by its workspace; absent: nothing. */
  waiting: NodeWaiting.optional(),
  /** It is paused, with all below it, until a provider's limit is over; absent: it is not. */
  limit: NodeLimit.optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Node = z.infer<typeof Node>;

/** One change of a session's tree. A node's newest state replaces the ones before. */
export const TreeChange = z.discriminatedUnion('type', [
  z.object({ seq: z.int().min(1), type: z.literal('session'), session: Session }),
  z.object({ seq: z.int().min(1), type: z.literal('node'), node: Node }),
  z.object({ seq: z.int().min(1), type: z.literal('deleted'), id: ThreadId }),
]);
export type TreeChange = z.infer<typeof TreeChange>;

export const Tree = z.object({ session: Session, nodes: z.array(Node) });
export type Tree = z.infer<typeof Tree>;

/** An agent as the list of all of a user's agents has it. */
export const NodeEntry = Node.pick({
  id: true,
  sessionId: true,
  parentId: true,
  name: true,
  agentType: true,
  status: true,
}).extend({ sessionName: z.string() });
export type NodeEntry = z.infer<typeof NodeEntry>;
