import { z } from 'zod';
import { RunnerId } from '../ids.ts';
import { Order } from './orders.ts';

/** The runner's one control socket, to its RunnerObject. */
export const LINK_VERSION = 1;

export const Executor = z.strictObject({
  kind: z.enum(['sandbox', 'container', 'unsandboxed']),
  available: z.boolean(),
  /** Why it is not available, and what to do about it. */
  reason: z.string().max(2048).optional(),
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
]);
export type ControlToWorker = z.infer<typeof ControlToWorker>;

export const ControlToRunner = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('welcome'), v: z.literal(LINK_VERSION) }),
  z.strictObject({ t: z.literal('order'), order: z.int().min(1), do: Order }),
]);
export type ControlToRunner = z.infer<typeof ControlToRunner>;
