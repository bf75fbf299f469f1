import { refusal, type ToolOutcome } from '@filepath/protocol/sky';

type Open = {
  readonly nonce: string;
  /** The tunnel and the connection it went to. */
  readonly tunnel: string;
  readonly session: string;
  readonly settle: (outcome: ToolOutcome) => void;
};

const WAITING = 16;

/** Calls through the tunnels of a chat: one at a time, each settled once. */
export class TunnelCalls {
  #open: Open | null = null;
  #waiting = new Map<string, () => void>();
  #tail: Promise<unknown> = Promise.resolve();

  /** `send` is called when it is this one's turn, and throws or gives where it went. */
  async run(
    nonce: string,
    send: () => Promise<{ tunnel: string; session: string } | ToolOutcome>,
    ms: number,
  ): Promise<ToolOutcome> {
    if (this.#waiting.size >= WAITING)
      return refusal('busy', `${WAITING} calls wait for the machine already.`);
    const cancelled = Promise.withResolvers<ToolOutcome>();
    this.#waiting.set(nonce, () => cancelled.resolve(CANCELLED));
    const turn = this.#tail.then(async () => {
      if (!this.#waiting.delete(nonce)) return CANCELLED;
      return this.#one(nonce, send, ms);
    });
    this.#tail = turn.catch(() => undefined);
    return Promise.race([turn, cancelled.promise]);
  }

  /** The call that waits for this answer, if it was asked there. */
  awaits(nonce: string, tunnel: string, session: string): boolean {
    const { nonce: of, tunnel: to, session: on } = this.#open ?? {};
    return of === nonce && to === tunnel && on === session;
  }

  settle(nonce: string, outcome: ToolOutcome): void {
    if (this.#open?.nonce === nonce) this.#open.settle(outcome);
  }

  /** What was asked of this tunnel gets no answer any more. Null: of this connection of it alone. */
  lost(tunnel: string, session: string | null, outcome: ToolOutcome): void {
    const open = this.#open;
    if (open?.tunnel !== tunnel || (session !== null && open.session !== session)) return;
    open.settle(outcome);
  }

  cancel(nonce: string): void {
    const waits = this.#waiting.get(nonce);
    this.#waiting.delete(nonce);
    waits?.();
    this.settle(nonce, CANCELLED);
  }

  async #one(
    nonce: string,
    send: () => Promise<{ tunnel: string; session: string } | ToolOutcome>,
    ms: number,
  ): Promise<ToolOutcome> {
    const answer = Promise.withResolvers<ToolOutcome>();
    // Settled before it is sent where it is cancelled meanwhile.
    this.#open = { nonce, tunnel: '', session: '', settle: answer.resolve };
    const sent = await send();
    if ('ok' in sent) answer.resolve(sent);
    else this.#open = { nonce, ...sent, settle: answer.resolve };
    const late = refusal('timeout', `The machine did not answer within ${ms / 1000} seconds.`);
    const timer = setTimeout(() => answer.resolve(late), ms);
    try {
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      this.#open = null;
    }
  }
}

const CANCELLED = refusal('interrupted', 'It was stopped before it ended.');
