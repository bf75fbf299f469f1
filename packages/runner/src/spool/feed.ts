import { closeSync, openSync } from 'node:fs';
import { AHEAD_BYTES } from './credit.ts';
import { Punch } from './punch.ts';
import { type LinesFrame, SpoolReader } from './reader.ts';
import type { Redactor } from './redactor.ts';

/** A spool on its way up: read in frames, freed as it is acknowledged, bounded. */
export class SpoolFeed {
  readonly #reader: SpoolReader;
  readonly #punch: Punch;
  readonly #backlogBytes: number;
  #acknowledged: number | null = null;

  constructor(
    path: string,
    redactor: Redactor,
    backlogBytes: number,
    heard?: (line: string) => void,
  ) {
    // Made here for the shim, which only appends.
    try {
      closeSync(openSync(path, 'ax', 0o600));
    } catch {
      // It exists.
    }
    this.#reader = new SpoolReader(path, redactor, heard);
    this.#punch = new Punch(path);
    this.#backlogBytes = backlogBytes;
  }

  seek(offset: number): void {
    this.#reader.seek(offset);
  }

  next(ended: boolean): LinesFrame | null {
    return this.#reader.next(ended);
  }

  acknowledged(offset: number): void {
    this.#acknowledged = offset;
    this.#punch.upTo(offset);
  }

  /** Bytes that were ever printed. */
  get printed(): number {
    return this.#reader.size().bytes;
  }

  /** Bytes that are not stored. */
  backlog(): number {
    const { bytes, disk } = this.#reader.size();
    // Before the first welcome only the disk shows what was acknowledged earlier.
    return this.#acknowledged === null ? disk : bytes - this.#acknowledged;
  }

  /**
   * How far the pump may go: some bytes beyond those that are read or acknowledged. The line that is being written does
   * not count: it must be able to end. Null before the first welcome.
   */
  credit(): number | null {
    if (this.#acknowledged === null) return null;
    const { read, framed } = this.#reader.position;
    return read + AHEAD_BYTES - Math.max(0, framed - this.#acknowledged);
  }

  /** The limit that this spool breaks, if any. */
  excess(): string | null {
    if (this.backlog() <= this.#backlogBytes) return null;
    const most = Math.floor(this.#backlogBytes / 2 ** 20);
    return `more than ${most} MiB of output were waiting to be stored`;
  }

  close(): void {
    this.#reader.close();
  }
}
