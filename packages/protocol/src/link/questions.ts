import { z } from 'zod';
import { Changes } from '../git/changes.ts';
import { ThreadId } from '../ids.ts';

/** What the worker wants to know of a workspace now. Nothing of it is stored. */
export const Question = z.strictObject({
  kind: z.literal('changes'),
  thread: ThreadId,
  slug: z.string(),
  /** All hunks of this file alone. */
  file: z.string().min(1).max(4096).optional(),
});
export type Question = z.infer<typeof Question>;

export const Answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('changes'), changes: Changes }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string().max(4096) }),
]);
export type Answer = z.infer<typeof Answer>;
