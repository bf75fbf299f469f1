import { closeSync, fstatSync, openSync } from 'node:fs';
import { writeFully } from '../files.ts';

/** Bytes that may wait to be stored before the agent has to wait. */
export const AHEAD_BYTES = 16 * 2 ** 20;

/** Written where this much is new: the pump looks there when it has used up what it had. */
const STEP_BYTES = AHEAD_BYTES / 8;
const LAST_WORD_BYTES = 2 * STEP_BYTES;
const WIDTH = 16;

/**
 * How far the shim's pump may go: a number in a file, which the pump reads before it takes more from the agent. An
 * agent that prints faster than its lines can be stored waits in its next write, also while no runner is there.
 *
 * The number is written over in its place, which no full disk keeps from happening. Whoever reads it meanwhile sees
 * the beginning of the old number and the end of the new: never more than the new one.
 */
export class Credit {
  readonly #path: string;
  #given = 0;
  #ended = false;

  constructor(path: string) {
    this.#path = path;
    const fd = openSync(path, 'a', 0o600);
    const { size } = fstatSync(fd);
    closeSync(fd);
    // One that a runner before gave is not taken back; what it was is not known, and does not matter.
    if (size < WIDTH) this.#give(AHEAD_BYTES);
  }

  /** Null: it is not known yet what is stored. */
  update(upTo: number | null): void {
    if (this.#ended || upTo === null || upTo - this.#given < STEP_BYTES) return;
    this.#give(upTo);
  }

  /** The agent is asked to end: it may say a last word, whatever waits. `printed`: how far it is. */
  extend(printed: number): void {
    this.update(Math.max(this.#given, printed) + LAST_WORD_BYTES);
  }

  /** Nothing writes any more: what is left in the pipe goes to the spool. */
  open(): void {
    if (!this.#ended) this.#give(Number.MAX_SAFE_INTEGER);
    this.#ended = true;
  }

  #give(upTo: number): void {
    const fd = openSync(this.#path, 'r+');
    try {
      writeFully(fd, Buffer.from(`${String(upTo).padStart(WIDTH)}\n`));
    } finally {
      closeSync(fd);
    }
    this.#given = upTo;
  }
}
