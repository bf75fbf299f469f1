const HEAD = 8;
const FRAME_BYTES = 16 * 2 ** 20;
const STDOUT = 1;
const STDERR = 2;

export type Output = { stream: 'stdout' | 'stderr'; bytes: Buffer };

/** Takes the engine's stream apart: frames of one byte of kind, three of nothing, four of length, and the bytes. */
export class Demux {
  #head = Buffer.alloc(0);
  #kind = 0;
  /** Bytes of the frame that are still to come. */
  #left = 0;

  take(chunk: Buffer): Output[] {
    const found: Output[] = [];
    for (let at = 0; at < chunk.length;) {
      if (this.#left === 0) {
        const taken = chunk.subarray(at, at + HEAD - this.#head.length);
        this.#head = Buffer.concat([this.#head, taken]);
        at += taken.length;
        if (this.#head.length === HEAD) this.#begin();
        continue;
      }
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      this.#left -= bytes.length;
      if (this.#kind === STDOUT) found.push({ stream: 'stdout', bytes });
      else if (this.#kind === STDERR) found.push({ stream: 'stderr', bytes });
    }
    return found;
  }

  /** Whether the stream ended between two frames. */
  get whole(): boolean {
    return this.#left === 0 && this.#head.length === 0;
  }

  #begin(): void {
    this.#kind = this.#head.readUInt8(0);
    this.#left = this.#head.readUInt32BE(4);
    this.#head = Buffer.alloc(0);
    if (this.#left > FRAME_BYTES || this.#kind > STDERR) {
      throw new Error('the container engine sends something else than output');
    }
  }
}
