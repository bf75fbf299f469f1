import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, Refusal } from '../executor/executor.ts';
import { showBytes } from '../limits/settings.ts';
import type { FreeSpace } from './free-space.ts';
import { diskUsage } from './usage.ts';

const LOOK_MS = 1_000;
const FIRST_MS = 15_000;
const LONGEST_MS = 10 * 60_000;
/** Measuring takes at most this part of the time. */
const SHARE = 20;

type Watched = {
  place: Place;
  over: (limit: string) => void;
  /** When it was measured last, how long that took, how much it was, and how much was free then. */
  at: number;
  tookMs: number;
  used: number;
  free: number;
};

/**
 * Ends agents whose files take more disk than one may. They are measured one at a time: when so much room has gone since the
 * last time that it could be theirs, and now and then.
 */
export class DiskQuota {
  readonly #limit: number;
  readonly #space: FreeSpace;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | null = null;
  #measuring = false;
  readonly #closing = new AbortController();

  constructor(limit: number, space: FreeSpace) {
    this.#limit = limit;
    this.#space = space;
  }

  open(): void {
    if (!Number.isFinite(this.#limit)) return;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#closing.abort();
  }

  /** A start after the limit was reached has to wait until there is less. Others are not measured for it. */
  async admit(place: Place): Promise<void> {
    const mark = markOf(place);
    if (!existsSync(mark)) return;
    const used = (await diskUsage(dirsOf(place))) ?? 0;
    if (used > this.#limit) {
      throw new Refusal(
        `its files take ${showBytes(used)} of disk, and ${showBytes(this.#limit)} are allowed: ` +
          `delete some in ${dirsOf(place).join(' or ')}, or set FILEPATH_AGENT_DISK higher`,
      );
    }
    rmSync(mark, { force: true });
  }

  /** Calls `over` when the limit is reached, until it is told to stop. */
  watch(place: Place, over: (limit: string) => void): () => void {
    const { free } = this.#space;
    const watched = { place, over, at: performance.now(), tookMs: 0, used: 0, free };
    // What it has from before is not known yet.
    watched.at += FIRST_MS - LONGEST_MS;
    this.#watched.add(watched);
    return () => void this.#watched.delete(watched);
  }

  async #look(): Promise<void> {
    if (this.#measuring) return;
    const next = [...this.#watched].find((one) => this.#due(one));
    if (next === undefined) return;
    this.#measuring = true;
    try {
      await this.#measure(next);
    } finally {
      this.#measuring = false;
    }
  }

  #due(one: Watched): boolean {
    const age = performance.now() - one.at;
    if (age < one.tookMs * SHARE) return false;
    return age > LONGEST_MS || one.used + (one.free - this.#space.free) > this.#limit;
  }

  async #measure(one: Watched): Promise<void> {
    const began = performance.now();
    const { free } = this.#space;
    const used = await diskUsage(dirsOf(one.place), this.#closing.signal);
    // To the end of the line, so that each has its turn.
    if (!this.#watched.delete(one)) return;
    const at = performance.now();
    this.#watched.add(Object.assign(one, { at, tookMs: at - began, free, used: used ?? one.used }));
    if (used === null || used <= this.#limit) return;
    this.#watched.delete(one);
    try {
      writeFileSync(markOf(one.place), `${used}\n`, { mode: 0o600 });
    } finally {
      one.over(`out of disk (limit ${showBytes(this.#limit)})`);
    }
  }
}

/** Says that this home was over the limit. */
const markOf = (place: Place): string => join(place.dir, 'over-disk');
const dirsOf = (place: Place): string[] => [join(place.dir, 'workspace'), join(place.dir, 'home')];
