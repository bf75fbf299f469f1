import { z } from 'zod';
import { AgentState } from '../fap/events.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The state of the table log → status, as a reader is told it who has not read the log from its beginning. */
export const LifecycleState = z.object({
  status: AgentState,
  reason: z.string().nullable(),
  contextPct: z.number().nullable(),
  alive: z.boolean(),
  stopped: z.boolean(),
  open: z.boolean(),
  reports: z.boolean(),
  unanswered: z.boolean(),
  silent: z.boolean(),
  asks: z.boolean(),
  questions: z.array(z.string()).readonly(),
  delegated: z.boolean(),
  handing: z.boolean(),
  paused: z.string().nullable(),
  beneath: z.string().nullable(),
  gates: z.number().nullable(),
  gate: z.object({ job: z.string().nullable(), attempts: z.number() }).nullable(),
  failures: z.number(),
}) satisfies z.ZodType<Lifecycle>;
