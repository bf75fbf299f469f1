import { z } from 'zod';

/** Of what a client of the Agents SDK says to a chat, the part that is read before the SDK gets it. */
export const CHAT_LIMITS = {
  /** Characters of a frame as it comes: a client of the SDK sends files with it, in base64. */
  sent: 16 * 1024 * 1024,
  /** Characters of a frame without its files. */
  frame: 4 * 1024 * 1024,
  /** Messages in a request: the SDK's clients send the whole transcript. */
  messages: 2000,
  /** Characters of what a person says at once. */
  text: 32_768,
  parts: 64,
  /** Characters of its message as JSON, with whatever else the client put there, and how deep that goes. */
  message: 262_144,
  depth: 64,
} as const;

const Id = z.string().min(1).max(200);

const TextPart = z.looseObject({
  type: z.literal('text'),
  text: z.string().max(CHAT_LIMITS.text),
});

/** `url`: the file itself, as a data URL in base64, or the ref of one that the chat keeps. */
const FilePart = z.looseObject({
  type: z.literal('file'),
  mediaType: z.string().max(256).default(''),
  filename: z.string().max(1024).optional(),
  url: z.string().max(CHAT_LIMITS.sent),
});

/** What a person says and gives with it. */
export const ChatUserMessage = z.looseObject({
  id: Id,
  role: z.literal('user'),
  parts: z
    .array(z.discriminatedUnion('type', [TextPart, FilePart]))
    .min(1)
    .max(CHAT_LIMITS.parts),
});
export type ChatUserMessage = z.infer<typeof ChatUserMessage>;

/** Any message of a transcript as a client repeats it; only what a person said is taken from there. */
export const ChatMessageHead = z.looseObject({ id: Id, role: z.enum(['user', 'assistant']) });

export const ChatBody = z.looseObject({
  messages: z.array(ChatMessageHead).max(CHAT_LIMITS.messages),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
});
export type ChatBody = z.infer<typeof ChatBody>;

const ChatRequestFrame = z.looseObject({
  type: z.literal('cf_agent_use_chat_request'),
  id: Id,
  init: z.looseObject({ method: z.literal('POST'), body: z.string() }),
});

const ChatMessagesFrame = z.looseObject({
  type: z.literal('cf_agent_chat_messages'),
  messages: z.array(ChatMessageHead).max(CHAT_LIMITS.messages),
});

/** Frames that the SDK reads by itself and that carry nothing of a transcript. */
const SdkFrame = z.looseObject({
  type: z.enum([
    'cf_agent_chat_request_cancel',
    'cf_agent_chat_clear',
    'cf_agent_stream_resume_request',
    'cf_agent_stream_resume_ack',
    'cf_agent_state',
    'rpc',
  ]),
  id: Id.optional(),
});

/** Everything else is not answered: results and approvals of tools too, since a chat has none. */
export const ChatFrame = z.discriminatedUnion('type', [
  ChatRequestFrame,
  ChatMessagesFrame,
  SdkFrame,
]);
export type ChatFrame = z.infer<typeof ChatFrame>;
