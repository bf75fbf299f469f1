import { z } from 'zod';
import { RunId, ThreadId } from '../ids.ts';
import { deeperThan, isObject } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { MESSAGE_PARTS, SkyMessage, SkyMetadata } from './message.ts';
import { isUiPart, toSkyPart, toUiPart, type UiPart } from './ui-part.ts';
import { SkyMessageId } from './values.ts';

/** A message of the AI SDK (`UIMessage`), as AIChatAgent keeps it. Keys that nobody knows pass through. */
export const UiMessage = z
  .looseObject({
    id: SkyMessageId,
    role: z.enum(['system', 'user', 'assistant']),
    metadata: z.unknown().optional(),
    parts: z.array(z.custom<UiPart>(isUiPart, 'expected a part with a type')).max(MESSAGE_PARTS),
  })
  .refine(
    (message) => !deeperThan(message, LIMITS.depth - 8),
    `nested deeper than ${LIMITS.depth - 8} levels`,
  );
export type UiMessage = z.infer<typeof UiMessage>;

/** What `metadata.sky` of a message of the AI SDK says of it in Sky's words. */
const Marks = z.strictObject({
  ...SkyMetadata.omit({ ui_message: true }).shape,
  thread_id: ThreadId.optional(),
  run_id: RunId.optional(),
  created_at: z.iso.datetime().optional(),
  role: z.literal('tool').optional(),
});
type Marks = z.infer<typeof Marks>;

/** The chat that the messages are of: both ways must be told the same. */
export type OfThread = { thread_id: ThreadId };

/** Takes what AIChatAgent has; throws a ZodError that names what is wrong with it. */
export function toSkyMessage(value: unknown, of: OfThread): SkyMessage {
  UiMessage.parse(value);
  // What JSON keeps of it. Parsing would leave out the key `__proto__`.
  const given = JSON.parse(JSON.stringify(value)) as UiMessage;
  const { id, role, metadata: _metadata, parts, ...rest } = given;
  const { marks, ui } = marksIn(given, of) ?? { marks: {}, ui: unmarked(given) };
  const { thread_id, run_id, created_at, role: marked, ...metadata } = marks;
  return SkyMessage.parse({
    id,
    thread_id: thread_id ?? of.thread_id,
    run_id: run_id ?? null,
    role: marked ?? role,
    content: parts.map(toSkyPart),
    ...(created_at === undefined ? {} : { created_at }),
    metadata: {
      ...metadata,
      ...ui,
      ...(Object.keys(rest).length === 0 ? {} : { ui_message: rest }),
    },
  });
}

export function toUiMessage(message: SkyMessage, of: OfThread): UiMessage {
  const { ui_message: rest, ui: _ui, ...metadata } = message.metadata;
  const marks: Marks = {
    ...metadata,
    ...(message.thread_id === of.thread_id ? {} : { thread_id: message.thread_id }),
    ...(message.run_id === null ? {} : { run_id: message.run_id }),
    ...(message.created_at === undefined ? {} : { created_at: message.created_at }),
    ...(message.role === 'tool' ? { role: 'tool' as const } : {}),
  };
  const role = message.role === 'tool' ? 'assistant' : message.role;
  return {
    ...rest,
    id: message.id,
    role,
    ...marked(marks, message.metadata, role, of),
    parts: message.content.map(toUiPart),
  };
}

type Role = UiMessage['role'];
/** The metadata that a message had, if it had any. */
type Had = { ui?: unknown };

/** Marks stand beside the metadata where that is an object, and around it where it is not. */
function marked(marks: Marks, had: Had, role: Role, of: OfThread): { metadata?: unknown } {
  const has = had.ui !== undefined;
  if (Object.keys(marks).length === 0 && (!has || !isMarked(had.ui, role, of))) {
    return has ? { metadata: had.ui } : {};
  }
  if (has && !standsBeside(marks, had.ui)) return { metadata: { sky: { ...marks, ui: had.ui } } };
  return { metadata: { ...(isObject(had.ui) ? had.ui : {}), sky: marks } };
}

function standsBeside(marks: Marks, ui: unknown): boolean {
  return (
    Object.keys(marks).length > 0 &&
    isObject(ui) &&
    Object.keys(ui).length > 0 &&
    !Object.hasOwn(ui, 'sky')
  );
}

const isMarked = (metadata: unknown, role: Role, of: OfThread): boolean =>
  marksIn({ metadata, role }, of) !== null;

/** The marks of a message, if `marked` would have written them so. */
function marksIn(
  { metadata, role }: { metadata?: unknown; role: Role },
  of: OfThread,
): { marks: Marks; ui: Had } | null {
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'sky')) return null;
  const { sky, ...others } = metadata;
  const parsed = Marks.safeParse(sky);
  if (!parsed.success) return null;
  const { ui, ...marks } = parsed.data;
  if (marks.role === 'tool' && role !== 'assistant') return null;
  if (marks.thread_id === of.thread_id) return null;
  const none = Object.keys(marks).length === 0;
  if (ui !== undefined) {
    if (Object.keys(others).length > 0 || standsBeside(marks, ui)) return null;
    return none && !isMarked(ui, role, of) ? null : { marks, ui: { ui } };
  }
  if (none) return null;
  return { marks, ui: Object.keys(others).length === 0 ? {} : { ui: others } };
}

function unmarked(given: { metadata?: unknown }): Had {
  return given.metadata === undefined ? {} : { ui: given.metadata };
}
