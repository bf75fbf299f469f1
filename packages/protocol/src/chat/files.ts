import { z } from 'zod';
import { formatRef, parseRef } from '../sky/refs.ts';
import { FILE_LIMITS, KeptFile } from '../thread/attachments.ts';

/** The bucket of `wrangler.jsonc`, as refs name it. */
export const BLOB_BUCKET = 'filepath-blobs';

/** Of the files that a chat takes. */
export const CHAT_FILE_LIMITS = {
  /** In one message. */
  message: FILE_LIMITS.message,
  bytes: FILE_LIMITS.bytes,
  /** Of an image: providers refuse larger ones. */
  image: 3.5 * 1024 * 1024,
  kept: FILE_LIMITS.thread,
  keptBytes: FILE_LIMITS.threadBytes,
  /** What no message names is kept for so long, in milliseconds. */
  waits: 24 * 60 * 60 * 1000,
} as const;

/** Below which the files of a chat lie. */
export const chatFilePrefix = (chat: string): string => `chats/${chat}/attachments/`;

export const chatFileRef = (chat: string, sha256: string): string =>
  formatRef({ bucket: BLOB_BUCKET, key: chatFilePrefix(chat) + sha256, sha256 });

/** The hash of a file of this chat; null for a ref to anything else, in whatever bucket or chat. */
export function chatFileOf(chat: string, ref: string): string | null {
  const sha256 = parseRef(ref)?.sha256 ?? null;
  return sha256 !== null && chatFileRef(chat, sha256) === ref ? sha256 : null;
}

/** A file that a chat keeps, and how a message names it. */
export const ChatFile = z.strictObject({ ...KeptFile.shape, ref: z.string() });
export type ChatFile = z.infer<typeof ChatFile>;

/** A file of a message of the AI SDK, as a chat stores it. */
export const ChatFilePart = z.looseObject({
  type: z.literal('file'),
  mediaType: z.string(),
  filename: z.string().optional(),
  url: z.string(),
});
export type ChatFilePart = z.infer<typeof ChatFilePart>;
