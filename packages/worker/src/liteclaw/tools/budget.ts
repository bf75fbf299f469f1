import { refusal, type ToolOutcome } from '@filepath/protocol/sky';

/** Of one run. */
export type ToolLimits = { readonly calls: number; readonly bytes: number; readonly ms: number };

/** A call may take this long, whatever is left. */
const CALL_MS = 30_000;

/** What the tools of one run have used. */
export class RunBudget {
  #limits: ToolLimits;
  #calls = 0;
  #bytes = 0;
  #ms = 0;

  constructor(limits: ToolLimits) {
    this.#limits = limits;
  }

  get bytesLeft(): number {
    return Math.max(0, this.#limits.bytes - this.#bytes);
  }

  get callMs(): number {
    return Math.max(1, Math.min(CALL_MS, this.#limits.ms - this.#ms));
  }

  /** Counts a call, or says why there is none. */
  take(bytes: number): ToolOutcome | null {
    const { calls, bytes: most, ms } = this.#limits;
    if (this.#calls >= calls)
      return refusal('budget_calls', `At most ${calls} calls of tools are made for one message.`);
    if (this.#bytes + bytes > most)
      return refusal('budget_bytes', `The tools of one message move at most ${most} bytes.`);
    if (this.#ms >= ms)
      return refusal('budget_time', `The tools of one message have ${ms / 1000} seconds.`);
    this.#calls += 1;
    this.#bytes += bytes;
    return null;
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  took(ms: number): void {
    this.#ms += ms;
  }
}
