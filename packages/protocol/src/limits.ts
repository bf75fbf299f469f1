/** Bounds shared by the programs. Bytes are UTF-8 bytes. */
export const LIMITS = {
  /** Longest line an agent may print; a longer one becomes a `log` event. */
  line: 1024 * 1024,
  /** Deepest nesting of a line's JSON. */
  depth: 128,
  /** Part of a rejected line that its `log` event keeps. */
  rejectedHead: 2048,
  /** Bodies above this go to the blob store and are referenced. */
  inlineBody: 256 * 1024,
  /** Largest frame on the link and the feed. */
  frame: 1024 * 1024,
  /** Bytes a WebSocket viewer may leave unacknowledged before it is fed from storage. */
  unacknowledged: 1024 * 1024,
  /** Largest message a person or parent may send. */
  message: 128 * 1024,
  /** Events in one JSON page of a feed. */
  page: 1000,
  /** Largest draft kept while text is being written. */
  draft: 1024 * 1024,
  /** Largest snapshot of a workspace that is ever taken in. */
  snapshot: 4 * 1024 ** 3,
} as const;
