import { z } from 'zod';
import { ThreadId } from '../ids.ts';
import { Attachments } from '../thread/attachments.ts';

/** What an agent reads on stdin, one JSON object a line. These are our own words, so they are strict. */
export const UserMessage = z
  .strictObject({
    type: z.literal('message'),
    from: z.enum(['user', 'parent', 'system', 'child']),
    /** Whose work has ended, where the message is from a child. */
    child: z.strictObject({ id: ThreadId, name: z.string() }).optional(),
    /** Of the system: it asks for work, also of an agent that has said that it is done. */
    wake: z.literal(true).optional(),
    content: z.string(),
    /** Files that are there when it is read. The content names them too. */
    attachments: Attachments.optional(),
  })
  .refine(({ from, child }) => (from === 'child') === (child !== undefined), {
    path: ['child'],
    error: 'expected the child that it is from, and nothing in any other message',
  })
  .refine(({ from, wake }) => from === 'system' || wake === undefined, {
    path: ['wake'],
    error: 'expected nothing: only messages of the system have it',
  });
export type UserMessage = z.infer<typeof UserMessage>;

export const SignalMessage = z.strictObject({
  type: z.literal('signal'),
  action: z.enum(['stop', 'pause', 'resume', 'handoff']),
});
export type SignalMessage = z.infer<typeof SignalMessage>;

export const DecisionMessage = z.strictObject({
  type: z.literal('decision'),
  id: z.string().min(1).max(128),
  choice: z.string(),
  input: z.unknown().optional(),
});

export const AgentInput = z.discriminatedUnion('type', [
  UserMessage,
  SignalMessage,
  DecisionMessage,
]);
export type AgentInput = z.infer<typeof AgentInput>;
