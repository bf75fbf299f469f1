import { statfs } from 'node:fs/promises';
import { showBytes } from '../limits/settings.ts';

const LOOK_MS = 1_000;
/** Goes on when there is this much more than the reserve, so that it does not stop again at once. */
const EASE = 1.25;
const USUAL_RESERVE = 2 ** 30;
const USUAL_SHARE = 0.05;

/** The room that is left on the disk of the runner, looked at once a second. */
export class FreeSpace {
  readonly #path: string;
  readonly #reserve: number | null;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;
  #free = Number.POSITIVE_INFINITY;
  #low: string | null = null;

  /** Without a reserve that was set, it is 1 GiB, or a twentieth of the disk if that is less. */
  constructor(path: string, reserve: number | null) {
    this.#path = path;
    this.#reserve = reserve;
  }

  async open(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Bytes that agents can still write. */
  get free(): number {
    return this.#free;
  }

  /** Why nothing may be written now; null while there is room. */
  get low(): string | null {
    return this.#low;
  }

  async look(): Promise<void> {
    // A disk that does not answer is asked once.
    if (this.#looking) return;
    this.#looking = true;
    try {
      const { bavail, blocks, bsize } = await statfs(this.#path);
      this.#free = bavail * bsize;
      const usual = Math.min(USUAL_RESERVE, USUAL_SHARE * blocks * bsize);
      this.#judge(this.#reserve ?? usual);
    } catch {
      return;
    } finally {
      this.#looking = false;
    }
  }

  #judge(reserve: number): void {
    const wanted = this.#low === null ? reserve : reserve * EASE;
    if (this.#free >= wanted) this.#low = null;
    else this.#low ??= describe(this.#free, reserve);
  }
}

const describe = (free: number, reserve: number): string =>
  `the runner's disk is nearly full: ${showBytes(free)} are left, ${showBytes(reserve)} are kept free`;
