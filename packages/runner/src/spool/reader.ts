import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LIMITS } from '@filepath/protocol';
import type { Redactor } from './redactor.ts';
import { LineSplitter, type RawLine } from './splitter.ts';

const CHUNK_BYTES = 128 * 1024;
const FRAME_LINES = 256;
const FRAME_BYTES = LIMITS.frame / 2;

/** A `lines` frame, encoded, and the range of the spool that it covers. */
export type LinesFrame = { from: number; to: number; text: string };

/**
 * Reads a spool from an offset in frames. Reading is synchronous: the bytes were written a moment ago and
 * stand in the page cache.
 */
export class SpoolReader {
  readonly #fd: number;
  readonly #redactor: Redactor;
  readonly #heard: (line: string) => void;
  #splitter: LineSplitter;
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #ready: RawLine[] = [];
  /** How many of `#ready` are framed. */
  #taken = 0;
  /** End of the last line that was framed. */
  #framed: number;

  /** `heard` is given every line that can be an event, as it goes up. */
  constructor(path: string, redactor: Redactor, heard: (line: string) => void = () => undefined) {
    this.#fd = openSync(path, 'r');
    this.#redactor = redactor;
    this.#heard = heard;
    this.#splitter = new LineSplitter(0);
    this.#framed = 0;
  }

  seek(offset: number): void {
    this.#splitter = new LineSplitter(offset);
    this.#ready = [];
    this.#taken = 0;
    this.#framed = offset;
  }

  /** Bytes in the spool, and bytes it takes on disk. */
  size(): { bytes: number; disk: number } {
    const stat = fstatSync(this.#fd);
    return { bytes: stat.size, disk: stat.blocks * 512 };
  }

  /** Bytes that were read, and bytes that are in frames. What is between them is lines not yet sent, or the begin of one. */
  get position(): { read: number; framed: number } {
    return { read: this.#splitter.offset, framed: this.#framed };
  }

  /**
   * The next frame, or null if there is no whole line. `ended`: nobody writes any more, so the rest is a
   * line too.
   */
  next(ended: boolean): LinesFrame | null {
    const from = this.#framed;
    const parts: string[] = [];
    let bytes = 0;
    while (parts.length < FRAME_LINES && bytes < FRAME_BYTES) {
      const line = this.#ready[this.#taken] ?? this.#read(ended);
      if (line === undefined) break;
      const part = this.#encode(line);
      const size = Buffer.byteLength(part) + 1;
      if (parts.length > 0 && bytes + size > FRAME_BYTES) break;
      parts.push(part);
      bytes += size;
      this.#framed = line.end;
      this.#taken++;
      if ('text' in line) this.#heard(line.text);
    }
    if (parts.length === 0) return null;
    const text = `{"t":"lines","from":${from},"lines":[${parts.join(',')}]}`;
    return { from, to: this.#framed, text };
  }

  close(): void {
    closeSync(this.#fd);
  }

  #read(ended: boolean): RawLine | undefined {
    this.#taken = 0;
    this.#ready = [];
    while (this.#ready.length === 0) {
      const count = readSync(this.#fd, this.#chunk, 0, CHUNK_BYTES, this.#splitter.offset);
      if (count === 0) {
        const last = ended ? this.#splitter.finish() : null;
        if (last !== null) this.#ready = [last];
        break;
      }
      this.#ready = this.#splitter.push(this.#chunk.subarray(0, count));
    }
    return this.#ready[0];
  }

  #encode(line: RawLine): string {
    if ('text' in line) return JSON.stringify([line.end, this.#redactor.redact(line.text)]);
    const head = this.#redactor.redact(line.head).slice(0, LIMITS.rejectedHead);
    return JSON.stringify([line.end, head, line.reason, line.bytes]);
  }
}
