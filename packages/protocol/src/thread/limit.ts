import { z } from 'zod';

/** A provider's limit holds the agent up until a time: it and everything below it pause until then. */
export const SystemLimit = z.strictObject({
  type: z.literal('limit'),
  reason: z.string().max(500),
  until: z.iso.datetime(),
  /** The agent's run ended by it: another process goes on after that. */
  ended: z.boolean(),
  /** It is over already, by its time or a person's word: nothing pauses. */
  over: z.literal(true).optional(),
});
export type SystemLimit = z.infer<typeof SystemLimit>;
