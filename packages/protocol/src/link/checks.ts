import { z } from 'zod';

/** One need of filepath on a machine: whether it is met, and if not, what works all the same and the command that helps. */
export const MachineCheck = z.strictObject({
  name: z.string().max(64),
  state: z.enum(['ok', 'warn', 'fail']),
  text: z.string().max(2048),
  works: z.string().max(2048).optional(),
  fix: z.string().max(2048).optional(),
});
export type MachineCheck = z.infer<typeof MachineCheck>;
