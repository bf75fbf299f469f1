import { z } from 'zod';
import { ThreadId } from '../ids.ts';
import { SkyMessageId } from './values.ts';

export const MEMORY_SCHEMA_VERSION = 1;
export const SUMMARY_LENGTH = 64 * 1024;

/** What a thread remembers of messages that are no longer given to the model. */
export const SkyMemory = z.strictObject({
  thread_id: ThreadId,
  schema_version: z.int().min(1).max(MEMORY_SCHEMA_VERSION),
  summary: z.string().max(SUMMARY_LENGTH),
  /** The last message that the summary covers. */
  through: SkyMessageId.nullable(),
  updated_at: z.iso.datetime(),
});
export type SkyMemory = z.infer<typeof SkyMemory>;
