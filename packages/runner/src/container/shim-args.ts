import { z } from 'zod';
import { EngineAddress } from './engine.ts';

/** What the shim is told, in the file `args`: the agent's environment is in it. */
export const ShimArgs = z.strictObject({
  engine: EngineAddress,
  name: z.string().min(1),
  /** The body of the request for the container. */
  body: z.record(z.string(), z.unknown()),
  /** The descriptor of the network to be in; null: one of its own with nothing in it. */
  networkFd: z.int().min(3).nullable(),
  /** What is said of an agent that came to a limit. */
  limits: z.strictObject({ memory: z.string(), pids: z.string(), disk: z.string() }),
});
export type ShimArgs = z.infer<typeof ShimArgs>;
