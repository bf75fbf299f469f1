import { z } from 'zod';
import { NetworkConfig } from '../api/network.ts';

/**
 * The filepath Agent Protocol: what an agent prints, one JSON object a line. Unknown keys pass through:
 * a reader ignores what it does not know.
 */
export const AgentState = z.enum(['idle', 'thinking', 'running', 'done', 'error']);
export type AgentState = z.infer<typeof AgentState>;

const WorkState = z.enum(['start', 'done', 'error']);
const durationMs = z.number().min(0).optional();

export const TextEvent = z.looseObject({
  type: z.literal('text'),
  content: z.string(),
  /** Joins the deltas and the finished text of one message. */
  id: z.string().min(1).max(128).optional(),
  /** The content is a delta of a text that is still being written. */
  partial: z.boolean().optional(),
});

export const ToolEvent = z.looseObject({
  type: z.literal('tool'),
  name: z.string(),
  path: z.string().optional(),
  status: WorkState,
  output: z.string().optional(),
  id: z.string().min(1).max(128).optional(),
  input: z.unknown().optional(),
  diff: z.string().optional(),
  parent: z.string().optional(),
  durationMs,
});

export const CommandEvent = z.looseObject({
  type: z.literal('command'),
  cmd: z.string(),
  status: WorkState,
  exit: z.number().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  id: z.string().min(1).max(128).optional(),
  input: z.unknown().optional(),
  diff: z.string().optional(),
  parent: z.string().optional(),
  durationMs,
});

export const CommitEvent = z.looseObject({
  type: z.literal('commit'),
  hash: z.string(),
  message: z.string(),
});

export const SpawnEvent = z.looseObject({
  type: z.literal('spawn'),
  name: z.string(),
  agent: z.string(),
  model: z.string(),
  task: z.string().optional(),
  /** Of the child and everything below it. */
  budget: z
    .looseObject({
      usd: z.number().min(0).max(1e6).optional(),
      tokens: z.int().min(0).max(1e12).optional(),
    })
    .optional(),
  /** What the child may reach: its parent's policy unless given, and never more. */
  network: NetworkConfig.optional(),
});

export const WorkersEvent = z.looseObject({
  type: z.literal('workers'),
  workers: z.array(z.looseObject({ name: z.string(), status: AgentState })),
});

export const StatusEvent = z.looseObject({
  type: z.literal('status'),
  state: AgentState,
  context_pct: z.number().min(0).max(1).optional(),
  reason: z.string().optional(),
  until: z.string().optional(),
});

export const HandoffEvent = z.looseObject({
  type: z.literal('handoff'),
  summary: z.string(),
});

export const DoneEvent = z.looseObject({
  type: z.literal('done'),
  summary: z.string().optional(),
});

export const PlanEvent = z.looseObject({
  type: z.literal('plan'),
  steps: z.array(
    z.looseObject({
      title: z.string(),
      status: z.enum(['pending', 'active', 'done', 'error']).optional(),
    }),
  ),
});

export const UsageEvent = z.looseObject({
  type: z.literal('usage'),
  model: z.string().optional(),
  input: z.number().min(0).optional(),
  output: z.number().min(0).optional(),
  cacheRead: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
  cost: z.number().min(0).optional(),
});

export const DecisionEvent = z.looseObject({
  type: z.literal('decision'),
  id: z.string().min(1).max(128),
  prompt: z.string(),
  options: z.array(z.string()).min(1),
  /** What the decision is about, by content: an approval holds for these bytes only. */
  hash: z.string().optional(),
});

export const MemoryEvent = z.looseObject({
  type: z.literal('memory'),
  content: z.string(),
});

export const LogLineEvent = z.looseObject({
  type: z.literal('log'),
  level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  message: z.string(),
});

export const AgentEvent = z.discriminatedUnion('type', [
  TextEvent,
  ToolEvent,
  CommandEvent,
  CommitEvent,
  SpawnEvent,
  WorkersEvent,
  StatusEvent,
  HandoffEvent,
  DoneEvent,
  PlanEvent,
  UsageEvent,
  DecisionEvent,
  MemoryEvent,
  LogLineEvent,
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
export type AgentEventType = AgentEvent['type'];
