import {
  CHAT_LIMITS,
  ChatBody,
  ChatFrame,
  type ChatMessageHead,
  ChatUserMessage,
  deeperThan,
  issuesOf,
  sameJson,
} from '@filepath/protocol';
import type { z } from 'zod';
import { filesOf, textOf, type Said } from './context.ts';
import { Brought, type KnownFiles, withRefs } from './files/file-parts.ts';

type Head = z.infer<typeof ChatMessageHead>;

export type Incoming =
  /** A person says something, or wants another answer. `frame` is what the SDK gets. */
  | {
      readonly kind: 'ask';
      readonly id: string;
      readonly frame: string;
      readonly message: string | null;
      readonly brought: Brought;
    }
  /** A client's word for the transcript: of it what a person changed. */
  | { readonly kind: 'messages'; readonly frame: string; readonly brought: Brought }
  /** `resume`: whether there is a stream to follow. `resumed`: that of a request is followed from now on. */
  | { readonly kind: 'clear' | 'other' | 'resume'; readonly frame: string }
  | { readonly kind: 'resumed'; readonly frame: string; readonly id: string | undefined }
  /** `id`: of the request that can be answered with the reason. */
  | { readonly kind: 'refused'; readonly id: string | null; readonly reason: string };

/**
 * What a client says, before the SDK acts on it. Clients send the whole transcript as they have it. Taken from there is
 * only what a person says; what the assistant said stays as it is stored, and what is not stored any more does not
 * come back. In what the SDK gets files are refs.
 */
export function readIncoming(
  message: unknown,
  stored: readonly Said[],
  files: KnownFiles,
): Incoming {
  if (typeof message !== 'string') return refused(null, 'frames of a chat are text');
  if (message.length > CHAT_LIMITS.sent) return refused(null, TOO_LARGE);
  const read = readFrame(message, stored, files);
  if (read.kind === 'refused' || read.frame.length <= CHAT_LIMITS.frame) return read;
  return refused(read.kind === 'ask' ? read.id : null, TOO_LARGE);
}

const TOO_LARGE = 'the frame is too large';

function readFrame(message: string, stored: readonly Said[], files: KnownFiles): Incoming {
  const json = parseJson(message);
  const frame = ChatFrame.safeParse(json);
  if (!frame.success) return refused(idOf(json), reasonOf(frame.error));
  const { data } = frame;
  if (data.type === 'cf_agent_use_chat_request') return readRequest(data, stored, files);
  if (data.type === 'cf_agent_chat_messages') {
    const brought = new Brought();
    const messages = merged(data.messages, stored, files, brought);
    if (typeof messages === 'string') return refused(null, messages);
    const frame = JSON.stringify({ ...data, messages: messages.known });
    return { kind: 'messages', frame, brought };
  }
  switch (data.type) {
    case 'cf_agent_chat_clear':
      return { kind: 'clear', frame: message };
    case 'cf_agent_stream_resume_request':
      return { kind: 'resume', frame: message };
    case 'cf_agent_stream_resume_ack':
      return { kind: 'resumed', frame: message, id: data.id };
    default:
      return { kind: 'other', frame: message };
  }
}

type Request = Extract<ChatFrame, { type: 'cf_agent_use_chat_request' }>;

function readRequest(data: Request, stored: readonly Said[], files: KnownFiles): Incoming {
  const body = ChatBody.safeParse(parseJson(data.init.body));
  if (!body.success) return refused(data.id, reasonOf(body.error));
  const { messages, trigger = 'submit-message' } = body.data;
  const brought = new Brought();
  const list = merged(messages, stored, files, brought);
  if (typeof list === 'string') return refused(data.id, list);
  const all = [...list.known, ...list.added];
  const last = all.at(-1);
  if (last?.role !== 'user') return refused(data.id, 'there is nothing to answer: say something');
  // No tools of the client, and nothing else that could steer the answer.
  const sent = JSON.stringify({ messages: all, trigger });
  return {
    kind: 'ask',
    id: data.id,
    frame: JSON.stringify({ ...data, init: { ...data.init, body: sent } }),
    message: last.id,
    brought,
  };
}

/** What is stored as far as the client has it, with a person's changes, and what the person said after that. */
function merged(
  messages: readonly Head[],
  stored: readonly Said[],
  files: KnownFiles,
  brought: Brought,
): { known: readonly (Said | ChatUserMessage)[]; added: readonly ChatUserMessage[] } | string {
  const said = new Map<string, ChatUserMessage>();
  const byId = new Map(stored.map((one) => [one.id, one]));
  const lastKnown = messages.findLastIndex(({ id }) => byId.has(id));
  const through = stored.findIndex(({ id }) => id === messages[lastKnown]?.id);
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'user') continue;
    const before = byId.get(message.id);
    // Of what is not stored only the end is new; what is stored as it is here was taken before.
    if (before ? sameJson(before, message) : at < lastKnown) continue;
    const parsed = ChatUserMessage.safeParse(message);
    if (!parsed.success) return reasonOf(parsed.error);
    const one = withRefs(parsed.data, before, files, brought);
    if (typeof one === 'string') return one;
    const fault = faultOf(one);
    if (fault !== null) return fault;
    said.set(message.id, one);
  }
  const known = stored.slice(0, through + 1).map((one) => said.get(one.id) ?? one);
  const fresh = messages.slice(lastKnown + 1).flatMap(({ id }) => said.get(id) ?? []);
  return { known, added: lastKnown < 0 ? fresh.slice(-1) : fresh };
}

/** Whatever is taken must fit the log and an export as it is. */
function faultOf(message: ChatUserMessage): string | null {
  const text = textOf(message);
  if (text === '' && filesOf(message).length === 0) return 'the message is empty';
  if (text.length > CHAT_LIMITS.text)
    return `the message has more than ${CHAT_LIMITS.text} characters`;
  if (deeperThan(message, CHAT_LIMITS.depth)) return 'the message is nested too deep';
  return JSON.stringify(message).length > CHAT_LIMITS.message ? 'the message is too large' : null;
}

const refused = (id: string | null, reason: string): Incoming => ({ kind: 'refused', id, reason });

function reasonOf(error: z.ZodError): string {
  const [issue] = issuesOf(error);
  return `it is not valid: ${issue?.path ?? '(root)'}: ${issue?.reason ?? ''}`.slice(0, 500);
}

function idOf(value: unknown): string | null {
  const id: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : null;
  return typeof id === 'string' && id.length > 0 && id.length <= 200 ? id : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
