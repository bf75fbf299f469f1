import { z } from 'zod';
import { MessageId } from '../ids.ts';
import { Attachments } from './attachments.ts';

/** Messages that may wait in one thread, and their bytes. */
export const QUEUE_LIMITS = { messages: 50, bytes: 512 * 1024 } as const;

/** When an agent that works gets a message: into the open run, or when that has ended. */
export const Delivery = z.enum(['now', 'after']);
export type Delivery = z.infer<typeof Delivery>;

/** A message that waits for the end of the open run. */
export const QueuedMessage = z.object({
  id: MessageId,
  /** Of the event by which it came into the queue. */
  seq: z.int().min(1),
  at: z.iso.datetime(),
  content: z.string(),
  attachments: Attachments.optional(),
});
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/**
 * What a person did to the queue. Bodies of events with source `user`. None of them opens or steers a run: the message
 * that is delivered does, and names its `queued` id.
 */
export const QueueBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('queued'),
    id: MessageId,
    content: z.string(),
    attachments: Attachments.optional(),
  }),
  z.strictObject({ type: z.literal('requeued'), id: MessageId, content: z.string() }),
  z.strictObject({ type: z.literal('withdrawn'), id: MessageId }),
]);
export type QueueBody = z.infer<typeof QueueBody>;

/** The agent was stopped: what waits is delivered after a later run. */
export const SystemQueueStands = z.strictObject({
  type: z.literal('queue_stands'),
  messages: z.int().min(1),
});
