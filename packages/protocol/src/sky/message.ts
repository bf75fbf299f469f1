import { z } from 'zod';
import { TokenCounts } from '../gateway/usage.ts';
import { RunId, ThreadId } from '../ids.ts';
import { deeperThan, JsonObject } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { SkyRef } from './refs.ts';
import { Milliseconds, ModelConfigId, SkyErrorCode, SkyMessageId, SkyText } from './values.ts';

export const MESSAGE_PARTS = 4096;

const MediaName = z.string().max(256);
/** What the AI SDK has beside it and Sky has no word for. */
const beside = { ui: JsonObject.optional() };

export const SkyPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: SkyText, ...beside }),
  z.strictObject({
    type: z.literal('image'),
    media_type: MediaName,
    /** Its address, or the image itself as a data URL. */
    url: SkyText,
    filename: z.string().max(1024).optional(),
    ...beside,
  }),
  /** Everything that has a structure: `kind` says which. Tool calls are of the kind `tool`. */
  z.strictObject({
    type: z.literal('json'),
    kind: z.string().min(1).max(256),
    value: z.unknown().refine((given) => given !== undefined, 'expected a value'),
  }),
  /** A file that is kept under its hash. */
  z.strictObject({
    type: z.literal('ref'),
    ref: SkyRef,
    media_type: MediaName,
    filename: z.string().max(1024).optional(),
    ...beside,
  }),
]);
export type SkyPart = z.infer<typeof SkyPart>;

export const SkyRole = z.enum(['system', 'user', 'assistant', 'tool']);
export type SkyRole = z.infer<typeof SkyRole>;

/** Keys of the AI SDK's messages that are converted themselves. */
const UI_KEYS = ['id', 'role', 'metadata', 'parts'] as const;

export const SkyMetadata = z.strictObject({
  model_config_id: ModelConfigId.optional(),
  model: z.string().max(256).optional(),
  tokens: TokenCounts.optional(),
  ttft_ms: Milliseconds.optional(),
  duration_ms: Milliseconds.optional(),
  finish_reason: z.string().max(64).optional(),
  error_code: SkyErrorCode.optional(),
  policy_flags: z.array(z.string().min(1).max(64)).max(32).optional(),
  /** The metadata of the AI SDK's message, whatever it is. */
  ui: z.unknown().optional(),
  /** Its other keys. */
  ui_message: JsonObject.refine(
    (rest) => Object.keys(rest).length > 0 && !UI_KEYS.some((key) => Object.hasOwn(rest, key)),
    'expected keys that Sky does not have',
  ).optional(),
});
export type SkyMetadata = z.infer<typeof SkyMetadata>;

export const SkyMessage = z
  .strictObject({
    id: SkyMessageId,
    thread_id: ThreadId,
    /** The run that it opened or that wrote it, where that is known. */
    run_id: RunId.nullable(),
    role: SkyRole,
    content: z.array(SkyPart).max(MESSAGE_PARTS),
    created_at: z.iso.datetime().optional(),
    metadata: SkyMetadata,
  })
  .refine(
    (message) => !deeperThan(message, LIMITS.depth),
    `nested deeper than ${LIMITS.depth} levels`,
  );
export type SkyMessage = z.infer<typeof SkyMessage>;
