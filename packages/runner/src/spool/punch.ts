import { execFile } from 'node:child_process';

const STEP_BYTES = 16 * 1024 * 1024;

/** Gives the disk of acknowledged bytes back. Offsets stay; a file system without holes keeps the bytes. */
export class Punch {
  readonly #path: string;
  #freed = 0;
  #busy = false;
  #able = true;

  constructor(path: string) {
    this.#path = path;
  }

  upTo(offset: number): void {
    const length = Math.floor(offset / STEP_BYTES) * STEP_BYTES;
    if (!this.#able || this.#busy || length - this.#freed < STEP_BYTES) return;
    this.#busy = true;
    const from = this.#freed;
    const range = ['--offset', String(from), '--length', String(length - from)];
    execFile('fallocate', ['--punch-hole', ...range, this.#path], (error) => {
      this.#busy = false;
      if (error === null) this.#freed = length;
      else this.#able = false;
    });
  }
}
