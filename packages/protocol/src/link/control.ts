import { z } from 'zod';
import { AgentEntry, AgentTypeName } from '../catalog/entry.ts';
import { Touched } from '../git/changes.ts';
import { JobId, RunnerId, ThreadId } from '../ids.ts';
import { JobResult } from '../thread/job-results.ts';
import { Order } from './orders.ts';
import { Answer, Question } from './questions.ts';

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

/** What a runner has of the catalog. Variables and files of an entry stay with the runner. */
export const CatalogReport = z.strictObject({
  /** The operator's own agents. */
  own: z.array(AgentEntry.omit({ env: true, files: true })).max(32),
  /** Agents whose program is on the machine, and where: among the tools of filepath, or the system's. */
  programs: z.record(AgentTypeName, z.enum(['tools', 'system'])),
});
export type CatalogReport = z.infer<typeof CatalogReport>;

export const ControlToWorker = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('hello'),
    v: z.literal(LINK_VERSION),
    runner: RunnerId,
    executors: z.array(Executor),
    catalog: CatalogReport.optional(),
  }),
  /** What has changed since the hello. */
  z.strictObject({ t: z.literal('catalog'), catalog: CatalogReport }),
  /** The order is carried out or will be, whatever happens to this connection: do not send it again. */
  z.strictObject({ t: z.literal('taken'), order: z.int().min(1) }),
  /** A job has ended. Said again until it is `stored`. */
  z.strictObject({ t: z.literal('done'), thread: ThreadId, result: JobResult }),
  /** What an agent has changed so far. The newest counts, and is said again on a new connection. */
  z.strictObject({ t: z.literal('touched'), thread: ThreadId, touched: Touched }),
  z.strictObject({ t: z.literal('answer'), ask: z.int().min(1), answer: Answer }),
  /** Asked on a silent socket, and answered in the same word: a socket can be open and lead to nobody. */
  z.strictObject({ t: z.literal('here') }),
]);
export type ControlToWorker = z.infer<typeof ControlToWorker>;

export const ControlToRunner = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('welcome'), v: z.literal(LINK_VERSION) }),
  z.strictObject({ t: z.literal('order'), order: z.int().min(1), do: Order }),
  z.strictObject({ t: z.literal('stored'), job: JobId }),
  /** Answered once, on this connection or never. */
  z.strictObject({ t: z.literal('ask'), ask: z.int().min(1), question: Question }),
  z.strictObject({ t: z.literal('here') }),
]);
export type ControlToRunner = z.infer<typeof ControlToRunner>;
