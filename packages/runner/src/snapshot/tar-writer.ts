import type { FileHandle } from 'node:fs/promises';
import { Refusal } from '../executor/executor.ts';
import { showBytes } from '../limits/settings.ts';
import { BLOCK, encodeEntry, padding, type TarEntry } from './tar-header.ts';

/** Small pieces are written together. */
const BUFFER_BYTES = 1 << 20;

/** Writes an archive to a file, from its beginning, up to a bound. */
export class TarWriter {
  readonly #file: FileHandle;
  readonly #most: number;
  #held: Buffer[] = [];
  #holding = 0;
  #size = 0;
  #pad = 0;

  constructor(file: FileHandle, most: number) {
    this.#file = file;
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  async entry(entry: TarEntry): Promise<void> {
    await this.#finishLast();
    await this.#write(encodeEntry(entry));
    this.#pad = padding(entry.size);
  }

  data(bytes: Buffer): Promise<void> {
    return this.#write(bytes);
  }

  async end(): Promise<void> {
    await this.#finishLast();
    await this.#write(Buffer.alloc(2 * BLOCK));
    await this.#flush();
  }

  async #finishLast(): Promise<void> {
    if (this.#pad > 0) await this.#write(Buffer.alloc(this.#pad));
    this.#pad = 0;
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#size += bytes.length;
    if (this.#size > this.#most) {
      throw new Refusal(
        `the workspace is larger than ${showBytes(this.#most)}: remove what is not needed, or set FILEPATH_SNAPSHOT_MAX`,
      );
    }
    this.#held.push(Buffer.from(bytes));
    this.#holding += bytes.length;
    if (this.#holding >= BUFFER_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#holding = 0;
    await this.#file.appendFile(bytes);
  }
}
