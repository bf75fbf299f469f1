import { z } from 'zod';

/** Frames of a feed over WebSocket. `I` is the item of the feed: a LogEvent or a tree change. */
export const feedFrame = <I extends z.ZodType>(item: I) =>
  z.discriminatedUnion('t', [
    z.object({ t: z.literal('events'), events: z.array(item) }),
    /** The whole draft: sent to a viewer that joins, and to one that fell behind. */
    z.object({ t: z.literal('draft'), id: z.string(), content: z.string() }),
    z.object({ t: z.literal('delta'), id: z.string(), delta: z.string() }),
    /** The resource is deleted; the socket closes. */
    z.object({ t: z.literal('deleted') }),
  ]);

/**
 * A viewer says what it has taken in: everything up to `seq`, and that many `draft` and `delta` frames since
 * the socket opened. With `answer` it wants to hear that it is still seen: a frame of events comes back, if need be an
 * empty one.
 */
export const ViewerFrame = z.strictObject({
  t: z.literal('ack'),
  seq: z.int().min(0),
  drafts: z.int().min(0).optional(),
  answer: z.literal(true).optional(),
});
export type ViewerFrame = z.infer<typeof ViewerFrame>;
