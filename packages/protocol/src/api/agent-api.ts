import { z } from 'zod';
import { AgentTypeName } from '../catalog/entry.ts';
import { AgentState } from '../fap/events.ts';
import { Budget, UsageTotals } from '../gateway/usage.ts';
import { ThreadId } from '../ids.ts';
import { NetworkConfig } from './network.ts';
import { NodeName } from './node-name.ts';
import { MessageCreate } from './requests.ts';

/** The longest that one request waits for children. */
export const MAX_WAIT_SECONDS = 50;

/** On an answer that tells of children that have ended: its name, by which the runner says that the agent has it. */
export const HANDED_HEADER = 'x-filepath-handed';

/** An agent's own name for a request: the same key is the same request. */
const key = z.string().min(1).max(128);

/** A child that an agent asks for. */
export const SpawnCreate = z.strictObject({
  key,
  name: NodeName,
  task: MessageCreate.shape.content,
  /** Its parent's unless given. */
  agent: AgentTypeName.optional(),
  model: z.string().min(1).max(200).optional(),
  /** Of the child and everything below it. */
  budget: Budget.optional(),
  /** At most its parent's, which it is unless given. */
  network: NetworkConfig.optional(),
});
export type SpawnCreate = z.infer<typeof SpawnCreate>;

export const ChildMessageCreate = z.strictObject({
  content: MessageCreate.shape.content,
  key: key.optional(),
});

export const ChildrenWait = z.strictObject({
  /** All of them unless given. */
  children: z.array(ThreadId).min(1).max(100).optional(),
  seconds: z.number().min(0).max(MAX_WAIT_SECONDS).optional(),
});
export type ChildrenWait = z.infer<typeof ChildrenWait>;

/** A direct child, as its parent sees it. */
export const Child = z.object({
  id: ThreadId,
  name: z.string(),
  agentType: z.string(),
  model: z.string(),
  status: AgentState,
  reason: z.string().nullable(),
  /** Its place in line for a start: 1 is next. Null where it waits for none. */
  queue: z.int().min(1).nullable(),
  /** It works, or will as soon as it can. */
  works: z.boolean(),
  /** How its last run ended, and what it said last. */
  result: z.object({ outcome: z.string(), words: z.string().nullable() }).nullable(),
  /** What it used, with everything below it. */
  usage: UsageTotals,
});
export type Child = z.infer<typeof Child>;

/** A child that a person took away from its parent. */
export const GoneChild = z.object({
  id: ThreadId,
  name: z.string(),
  how: z.enum(['deleted', 'moved']),
});
export type GoneChild = z.infer<typeof GoneChild>;

export const Children = z.object({
  children: z.array(Child),
  /** Of those that were waited for. */
  gone: z.array(GoneChild).optional(),
});
export type Children = z.infer<typeof Children>;

/** What a child was told and said. */
export const ChildMessages = z.object({
  messages: z.array(
    z.object({
      seq: z.int().min(1),
      role: z.enum(['user', 'parent', 'system', 'agent']),
      text: z.string(),
    }),
  ),
});

/** Whether a status says that there is work under way. */
export function worksStill(status: AgentState, reason: string | null): boolean {
  return status === 'thinking' || status === 'running' || reason === 'queued';
}
