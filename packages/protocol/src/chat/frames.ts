import { z } from 'zod';
import { ChatMessage, ChatMessages } from './messages.ts';

const Id = z.string().min(1).max(200);

/** A piece of an answer, or its end. */
const Response = z.looseObject({
  type: z.literal('cf_agent_use_chat_response'),
  id: Id,
  /** JSON of a chunk; with `error` the words of a failure. */
  body: z.string().optional(),
  done: z.boolean().optional(),
  error: z.boolean().optional(),
  /** Sent again, to one who asked to follow. */
  replay: z.boolean().optional(),
  /** Everything up to now was sent again; what follows is new. */
  replayComplete: z.boolean().optional(),
  /** Goes on with the last answer of the transcript. */
  continuation: z.boolean().optional(),
  outcome: z.string().max(100).optional(),
});
export type ChatResponse = z.infer<typeof Response>;

const probed = { id: Id.optional(), probeId: Id.optional() };

/** What a chat says to its clients, as far as one has to act on it. */
export const ChatServerFrame = z.discriminatedUnion('type', [
  Response,
  z.looseObject({ type: z.literal('cf_agent_chat_messages'), messages: ChatMessages }),
  z.looseObject({ type: z.literal('cf_agent_message_updated'), message: ChatMessage }),
  z.looseObject({ type: z.literal('cf_agent_chat_clear') }),
  /** There is a stream to follow, of this request. */
  z.looseObject({ type: z.literal('cf_agent_stream_resuming'), ...probed, id: Id }),
  z.looseObject({ type: z.literal('cf_agent_stream_resume_none'), ...probed }),
  /** A message was taken, and its answer has not begun. */
  z.looseObject({ type: z.literal('cf_agent_stream_pending'), ...probed }),
  z.looseObject({ type: z.literal('cf_agent_chat_recovering'), recovering: z.boolean() }),
]);
export type ChatServerFrame = z.infer<typeof ChatServerFrame>;

const KNOWN: ReadonlySet<string> = new Set(
  ChatServerFrame.options.map(({ shape }) => shape.type.value),
);

/** Null: a frame of the Agents SDK that is not about the chat. Throws on one that is and cannot be read. */
export function readChatFrame(text: string): ChatServerFrame | null {
  const value: unknown = JSON.parse(text);
  const type: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : null;
  if (typeof type !== 'string' || !KNOWN.has(type)) return null;
  return ChatServerFrame.parse(value);
}
