import { z } from 'zod';
import { RunId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { RunReceipt } from '../sky/receipts.ts';
import { LifecycleState } from '../thread/lifecycle-state.ts';
import { LogEvent } from '../thread/log-event.ts';
import { QueuedMessage } from '../thread/queue.ts';

/** How a reader asks for the end of a log, or for what comes before a seq. */
export const TailQuery = z.object({
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.page).default(LIMITS.page),
});

/** A run of which the page has an event. */
export const ThreadRun = z.object({
  run: RunId,
  /** Its number in the thread: 1, 2, 3 … */
  number: z.int().min(1),
  /** The seq of the message that opened it, and of the event that ended it. */
  from: z.int().min(1),
  to: z.int().min(1).nullable(),
  /** Not strict: a page may be older than the worker, and receipts grow. */
  receipt: z.object(RunReceipt.shape).nullable(),
});
export type ThreadRun = z.infer<typeof ThreadRun>;

/** The last events of a log up to a seq, in their order. */
export const ThreadTail = z.object({
  events: z.array(LogEvent),
  /** The `before` of the page before this one, or null where the log begins. */
  before: z.int().min(1).nullable(),
  runs: z.array(ThreadRun),
  /** How the thread stands after the last of them; null for a page that is not its end. */
  now: z.object({ lifecycle: LifecycleState, queue: z.array(QueuedMessage) }).nullable(),
});
export type ThreadTail = z.infer<typeof ThreadTail>;
