/** What can be seen of an agent from outside. */
export type Signs = {
  /** Bytes it has printed. */
  printed: number;
  /** Inputs it was given. */
  inputs: number;
  /** CPU time it has used; null where nobody can tell. */
  cpuMs: number | null;
  /** It is held still: it cannot do anything. */
  still: boolean;
};

/** Looks between two tellings; more often costs, less often is late. */
const LOOKS = 20;
const LEAST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 30_000;
/** An idle program with its timers uses less than this part of a core, one at work more. */
const IDLE_SHARE = 0.01;
const TELLINGS = 2;

/** Notices when an agent neither says nor does anything. Facts alone: whether it should is for others to know. */
export class Silence {
  readonly #periodMs: number;
  readonly #signs: () => Signs;
  readonly #now: () => number;
  #before: Signs | null = null;
  #lookedAt = 0;
  #since = 0;
  #told = 0;

  /** An infinite period: never. */
  constructor(periodMs: number, signs: () => Signs, now: () => number = () => performance.now()) {
    this.#periodMs = periodMs;
    this.#signs = signs;
    this.#now = now;
  }

  /** To be called often. The seconds of silence to be told now, after each of the first two periods. */
  look(): number | null {
    if (!Number.isFinite(this.#periodMs)) return null;
    const now = this.#now();
    const every = Math.min(LONGEST_LOOK_MS, Math.max(LEAST_LOOK_MS, this.#periodMs / LOOKS));
    if (this.#before !== null && now - this.#lookedAt < every) return null;
    const signs = this.#signs();
    if (this.#before === null || this.#stirred(this.#before, signs, now - this.#lookedAt)) {
      this.#since = now;
      this.#told = 0;
    }
    this.#before = signs;
    this.#lookedAt = now;
    const due = (this.#told + 1) * this.#periodMs;
    if (this.#told >= TELLINGS || now - this.#since < due) return null;
    this.#told++;
    return Math.max(1, Math.round(due / 1000));
  }

  #stirred(before: Signs, now: Signs, elapsedMs: number): boolean {
    if (now.still || now.printed !== before.printed || now.inputs !== before.inputs) return true;
    if (now.cpuMs === null || before.cpuMs === null) return true;
    return Math.abs(now.cpuMs - before.cpuMs) > IDLE_SHARE * elapsedMs;
  }
}
