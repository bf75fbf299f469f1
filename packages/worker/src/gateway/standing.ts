/** For so long after a session said so, calls with a key need not wait for its word. An agent calls again within this. */
const HOLDS_MS = 30_000;
const MAX_SESSIONS = 1024;
/** So many calls of a session may be on their way to a provider before its word is there. */
export const MOST_AHEAD = 16;

/**
 * Keys of agents under no budget, by session: what their session will say to a call is known before it is asked. It is
 * asked all the same, while the provider has the request. A session takes its word back here as soon as a budget, a
 * key or a place in the tree changes, or it has nearly as many calls under way as it may have. Only isolates that share
 * their memory with the session hear of that: elsewhere a call that is refused after all is broken off, and no byte of
 * its answer reaches the agent.
 */
export class Standing {
  #sessions = new Map<string, Map<string, number>>();
  #revoked = 0;
  /** Calls that were sent ahead of their session's word, by session. */
  #ahead = new Map<string, number>();

  /** How often a session took its word back. A word that was given before the last time does not count. */
  get revoked(): number {
    return this.#revoked;
  }

  /** Whether a call may go ahead. If so it is counted until its session's word `came`. */
  goes(session: string, key: string, now: number): boolean {
    const ahead = this.#ahead.get(session) ?? 0;
    const goes = ahead < MOST_AHEAD && now < (this.#sessions.get(session)?.get(key) ?? 0);
    if (goes) this.#ahead.set(session, ahead + 1);
    return goes;
  }

  came(session: string): void {
    const ahead = (this.#ahead.get(session) ?? 0) - 1;
    if (ahead > 0) this.#ahead.set(session, ahead);
    else this.#ahead.delete(session);
  }

  keep(session: string, key: string, now: number): void {
    const keys = this.#sessions.get(session) ?? new Map<string, number>();
    if (keys.size === 0 && this.#sessions.size >= MAX_SESSIONS) this.#sessions.clear();
    this.#sessions.set(session, keys.set(key, now + HOLDS_MS));
  }

  forget(session: string, key: string): void {
    this.#sessions.get(session)?.delete(key);
  }

  /** Null: of every session. */
  revoke(session: string | null): void {
    this.#revoked += 1;
    if (session === null) this.#sessions.clear();
    else this.#sessions.delete(session);
  }
}

/** Of this isolate. */
export const standing = new Standing();

/** What one call has of it. */
export type Ahead = {
  /** Whether it need not wait for its session's word. */
  readonly holds: boolean;
  /** The session said that the next need not either, or that it must. To be told once. */
  said(standing: boolean): void;
};

export const NEVER_AHEAD: Ahead = { holds: false, said: () => undefined };

/** Made when a call begins, before its session is asked: what it says counts only if nothing was revoked since. */
export function aheadOf(session: string, key: string): Ahead {
  const { revoked } = standing;
  const holds = standing.goes(session, key, Date.now());
  return {
    holds,
    said: (stands) => {
      if (holds) standing.came(session);
      if (!stands) standing.forget(session, key);
      else if (standing.revoked === revoked) standing.keep(session, key, Date.now());
    },
  };
}
