/** A place in a stream where it waits: `reached` tells that it is there, `release` lets it go on. */
export type Gate = {
  /** Deltas that are sent before it waits; past the last one: before the closing events. */
  readonly after: number;
  readonly reached: Promise<void>;
  release(): void;
  /** For the server. */
  readonly wait: () => Promise<void>;
};

/** A gate for one stream. An answer without a stream waits before its body. */
export function gate(after = 1): Gate {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    after,
    reached: reached.promise,
    release: released.resolve,
    wait: () => {
      reached.resolve();
      return released.promise;
    },
  };
}
