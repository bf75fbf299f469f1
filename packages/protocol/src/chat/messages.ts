import { z } from 'zod';

/** What a chat says, as a client of the Agents SDK reads it. Keys that nobody knows pass through. */
export const CHAT_READ_LIMITS = {
  /** Characters of a frame, of which one carries a whole transcript. */
  frame: 64 * 1024 * 1024,
  messages: 10_000,
  parts: 10_000,
} as const;

const Name = z.string().min(1).max(200);

/** A part of a message of the AI SDK: its type, and of the rest what a page shows. */
export const ChatPart = z.looseObject({
  type: Name,
  text: z.string().optional(),
  state: z.string().max(100).optional(),
  toolCallId: z.string().max(500).optional(),
  toolName: z.string().max(500).optional(),
  errorText: z.string().optional(),
  id: z.string().max(500).optional(),
});
export type ChatPart = z.infer<typeof ChatPart>;

export const ChatMessage = z.looseObject({
  id: Name,
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(ChatPart).max(CHAT_READ_LIMITS.parts),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

export const ChatMessages = z.array(ChatMessage).max(CHAT_READ_LIMITS.messages);

/** One piece of an answer: the AI SDK's UI message stream, of which a page follows these keys. */
export const ChatChunk = z.looseObject({
  type: Name,
  id: z.string().max(500).optional(),
  messageId: Name.optional(),
  delta: z.string().optional(),
  toolCallId: z.string().max(500).optional(),
  toolName: z.string().max(500).optional(),
  inputTextDelta: z.string().optional(),
  errorText: z.string().optional(),
  transient: z.boolean().optional(),
});
export type ChatChunk = z.infer<typeof ChatChunk>;

/** What a chat says of the answer that is on its way: `data-notice`, kept nowhere. */
export const ChatNotice = z.looseObject({ message: z.string().max(2048) });

const Hash = z.string().max(200);

/** What the page shows of the receipt of a tool: `data-receipt`. */
export const ChatReceipt = z.looseObject({
  tool_call_id: z.string().max(500),
  args_hash: Hash,
  output_hash: Hash,
  duration_ms: z.number().min(0),
  executor: z.string().max(100).optional(),
  deterministic: z.boolean().optional(),
  error_code: z.string().max(200).optional(),
  change: z
    .looseObject({
      path: z.string().max(4096),
      input_hash: Hash.nullable(),
      patch_hash: Hash,
      output_hash: Hash,
    })
    .optional(),
});
export type ChatReceipt = z.infer<typeof ChatReceipt>;
