import { z } from 'zod';

/** Handoffs without a person's message, a commit or a finished run between them. One more waits for a person. */
export const MAX_HANDOFFS = 10;

/**
 * A fresh process goes on: what it is told first. In the log it opens a run, like a message, or joins one that a message
 * has opened meanwhile.
 */
export const SystemHandoff = z.strictObject({
  type: z.literal('handoff'),
  why: z.enum(['handoff', 'asked', 'restart']),
  /** The seq of the agent's own `handoff`. Null: it said none. */
  handoff: z.int().min(1).nullable(),
  /** The epoch that ended, and the one that goes on. */
  from: z.int().min(0),
  to: z.int().min(1),
  /** The seq of the message that the work began with. */
  task: z.int().min(1).nullable(),
  content: z.string(),
});
export type SystemHandoff = z.infer<typeof SystemHandoff>;

/** The agent hands off again and again: no fresh process is started for it. */
export const SystemHandoffLimit = z.strictObject({
  type: z.literal('handoff_limit'),
  handoffs: z.int().min(1),
  reason: z.string().max(500),
});
export type SystemHandoffLimit = z.infer<typeof SystemHandoffLimit>;
