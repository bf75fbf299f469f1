import { z } from 'zod';
import { RunnerId } from '../ids.ts';
import { Executor } from '../link/control.ts';

/** A machine that runs agents. */
export const RunnerInfo = z.object({
  id: RunnerId,
  connected: z.boolean(),
  /** Since when it is connected, or when it last came. Null: it never did. */
  since: z.string().nullable(),
  /** When it was last there. */
  seenAt: z.string().nullable(),
  /** The ways in which it runs agents. */
  executors: z.array(Executor),
  /** Agents at work on it. */
  working: z.int(),
});
export type RunnerInfo = z.infer<typeof RunnerInfo>;
