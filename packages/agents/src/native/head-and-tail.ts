/** Keeps the beginning and the end of a stream, in bounded memory. */
export class HeadAndTail {
  readonly #half: number;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #left = 0;

  constructor(keep: number) {
    this.#half = Math.floor(keep / 2);
  }

  add(bytes: Buffer): void {
    const toHead = bytes.subarray(0, this.#half - this.#head.length);
    if (toHead.length > 0) this.#head = Buffer.concat([this.#head, toHead]);
    const rest = Buffer.concat([this.#tail, bytes.subarray(toHead.length)]);
    const drop = Math.max(0, rest.length - this.#half);
    this.#left += drop;
    this.#tail = rest.subarray(drop);
  }

  text(): string {
    if (this.#left === 0) return Buffer.concat([this.#head, this.#tail]).toString('utf8');
    const [head, tail] = [this.#head.toString('utf8'), this.#tail.toString('utf8')];
    return `${head}\n[… ${this.#left} bytes left out …]\n${tail}`;
  }
}
