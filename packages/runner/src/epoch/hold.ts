import type { RunnerBody } from '@filepath/protocol';
import type { ObservedFile } from './observed-file.ts';

export const DISK_FULL = "the runner's disk is full";

/** Holds an agent still while its machine has no room for it, and tells why, and when it goes on. */
export class Hold {
  readonly #epoch: number;
  readonly #still: (held: boolean) => void;
  readonly #observe: (body: RunnerBody) => void;
  /** The reason that was told last; a runner before this one may have told it. */
  #reason: string | null;

  constructor(
    epoch: number,
    observed: ObservedFile,
    still: (held: boolean) => void,
    observe: (body: RunnerBody) => void,
  ) {
    this.#epoch = epoch;
    this.#still = still;
    this.#observe = observe;
    const last = observed.all().findLast((body) => /^(held|released)$/.test(body?.type ?? ''));
    this.#reason = last?.type === 'held' ? last.reason : null;
    // It may be held still without anybody having been told: the disk was full.
    if (observed.has('started')) still(this.#reason !== null);
  }

  get active(): boolean {
    return this.#reason !== null;
  }

  /** Says whether that is news. */
  update(reason: string | null): boolean {
    if ((reason === null) === (this.#reason === null)) return false;
    this.#reason = reason;
    this.#still(reason !== null);
    const epoch = this.#epoch;
    this.#observe(reason === null ? { type: 'released', epoch } : { type: 'held', epoch, reason });
    return true;
  }
}
