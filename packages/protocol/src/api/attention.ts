import { z } from 'zod';
import { SessionId, ThreadId } from '../ids.ts';

/** Why an agent waits for a person. */
export const AttentionKind = z.enum([
  'decision',
  'permission',
  'budget',
  'failure',
  'gate',
  'conflict',
  'limit',
]);
export type AttentionKind = z.infer<typeof AttentionKind>;

/** For what an answer holds: this question, or equal ones of the same session, agent or repository. */
export const RuleScope = z.enum(['session', 'agent', 'repository']);
export type RuleScope = z.infer<typeof RuleScope>;

export const AttentionItem = z.object({
  id: z.string(),
  kind: AttentionKind,
  thread: ThreadId,
  session: SessionId,
  sessionName: z.string(),
  name: z.string(),
  why: z.string(),
  /** What can be answered here. None: only in the thread. */
  choices: z.array(z.string()),
  /** Of a question: what it is about, by content. */
  hash: z.string().nullable(),
  /** Of a permission: for what else than this time an answer can hold. */
  scopes: z.array(RuleScope).optional(),
  at: z.string(),
});
export type AttentionItem = z.infer<typeof AttentionItem>;

/** One change of what waits for a person. */
export const AttentionChange = z.discriminatedUnion('type', [
  z.object({ seq: z.int().min(1), type: z.literal('item'), item: AttentionItem }),
  /** It waits no more. `choice`: what was answered, where that is known. */
  z.object({
    seq: z.int().min(1),
    type: z.literal('gone'),
    id: z.string(),
    choice: z.string().nullable(),
  }),
  /** Everything before is forgotten; what still waits follows. */
  z.object({ seq: z.int().min(1), type: z.literal('reset') }),
]);
export type AttentionChange = z.infer<typeof AttentionChange>;

export const AttentionAnswer = z.strictObject({
  /** One of the choices. */
  choice: z.string().max(65536),
  /** `once`, unless given. Others are for permissions. */
  scope: z.enum(['once', ...RuleScope.options]).optional(),
  /** `message`: its text. `raise`: the budget. A question: what the agent gets beside the choice. */
  input: z
    .unknown()
    .refine(
      (value) => (JSON.stringify(value) ?? '').length <= 262_144,
      'expected at most 256 KiB of JSON',
    )
    .optional(),
});
export type AttentionAnswer = z.infer<typeof AttentionAnswer>;

/** An answer that is given again, by itself, to equal questions. */
export const Rule = z.object({
  id: z.string(),
  scope: RuleScope,
  /** The session, the agent or the repository. */
  of: z.string(),
  agentType: z.string(),
  prompt: z.string(),
  hash: z.string().nullable(),
  choice: z.string(),
  at: z.string(),
});
export type Rule = z.infer<typeof Rule>;
