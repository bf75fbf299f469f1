import { z } from 'zod';
import { JobId, RunnerId, ThreadId } from '../ids.ts';
import { JobResult } from '../thread/job-results.ts';
import { Order } from './orders.ts';

/** The runner's one control socket, to its RunnerObject. */
export const LINK_VERSION = 1;

/** What holds an agent to a limit: a control group, each of its processes by itself, or nothing. */
const LimitKind = z.enum(['cgroup-v1', 'cgroup-v2', 'rlimit', 'none']);

/** Which limits are in force on an executor's agents. */
export const Limits = z.strictObject({ memory: LimitKind, pids: LimitKind, cpu: LimitKind });
export type Limits = z.infer<typeof Limits>;

export const Executor = z.strictObject({
  kind: z.enum(['sandbox', 'container', 'unsandboxed']),
  available: z.boolean(),
  /** Why it is not available, and what to do about it. */
  reason: z.string().max(2048).optional(),
  limits: Limits.optional(),
});
export type Executor = z.infer<typeof Executor>;

export const ControlToWorker = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('hello'),
    v: z.literal(LINK_VERSION),
    runner: RunnerId,
    executors: z.array(Executor),
  }),
  /** The order is carried out or will be, whatever happens to this connection: do not send it again. */
  z.strictObject({ t: z.literal('taken'), order: z.int().min(1) }),
  /** A job has ended. Said again until it is `stored`. */
  z.strictObject({ t: z.literal('done'), thread: ThreadId, result: JobResult }),
]);
export type ControlToWorker = z.infer<typeof ControlToWorker>;

export const ControlToRunner = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('welcome'), v: z.literal(LINK_VERSION) }),
  z.strictObject({ t: z.literal('order'), order: z.int().min(1), do: Order }),
  z.strictObject({ t: z.literal('stored'), job: JobId }),
]);
export type ControlToRunner = z.infer<typeof ControlToRunner>;
