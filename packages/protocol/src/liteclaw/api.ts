import { z } from 'zod';
import { ThreadId } from '../ids.ts';

/** `waitlist`: the instance lets in those whom its operator named, and the caller is none of them yet. */
export const LiteclawState = z.enum(['waitlist', 'not_spawned', 'spawning', 'ready']);
export type LiteclawState = z.infer<typeof LiteclawState>;

/** What `GET /api/liteclaw` says of the caller's own. */
export const Liteclaw = z.object({
  state: LiteclawState,
  /** The chat's id, as in `/chat/{id}` and `/agents/chat/{id}`; null until it is ready. */
  id: ThreadId.nullable(),
  /** On the waitlist: since when. */
  waitingSince: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime().nullable(),
});
export type Liteclaw = z.infer<typeof Liteclaw>;

/** `reset` forgets the transcript and the summary. `join` is for those on the waitlist. */
export const LiteclawPost = z.strictObject({ action: z.enum(['spawn', 'reset', 'join']) });
export type LiteclawPost = z.infer<typeof LiteclawPost>;

export const LiteclawApprove = z.strictObject({ email: z.email().max(320) });
export type LiteclawApprove = z.infer<typeof LiteclawApprove>;

/** Why a message of a chat has no answer. Stored in the transcript as the part `data-error` of an assistant's message. */
export const LiteclawFailure = z.object({
  code: z.enum(['model', 'empty', 'cut', 'interrupted', 'not_spawned']),
  message: z.string().min(1).max(2048),
});
export type LiteclawFailure = z.infer<typeof LiteclawFailure>;

/** What an import brought. */
export const LiteclawImported = z.strictObject({
  id: ThreadId,
  createdAt: z.iso.datetime(),
  messages: z.int().min(0),
  events: z.int().min(0),
  receipts: z.int().min(0),
  /** The public key of the instance that signed the export, in base64. */
  signedBy: z.string(),
  /** Refs of files that its messages name and that are not here. */
  missingFiles: z.array(z.string()),
});
export type LiteclawImported = z.infer<typeof LiteclawImported>;
