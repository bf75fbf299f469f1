import { isUtf8 } from 'node:buffer';
import { LIMITS } from '@filepath/protocol';

/** `text` where the line can be an event; else what is left of it and why. Ends count in the raw spool. */
export type RawLine =
  { end: number; text: string } | { end: number; head: string; reason: string; bytes: number };

export const TOO_LONG = 'line longer than 1 MiB';
export const NOT_UTF8 = 'invalid UTF-8';

const NEWLINE = 10;
/** More than is shown: a secret that the cut would part is found while it is whole. */
const HEAD_BYTES = 3 * LIMITS.rejectedHead;
/** A larger buffer is not kept for the next line. */
const KEPT_BYTES = 64 * 1024;

/**
 * Bytes into lines. A line beyond the limit is counted, not kept, so that its length costs no memory. Blank
 * lines are passed over: their bytes belong to the line after them.
 */
export class LineSplitter {
  /** The beginning of a line that goes on in the next chunk, in a buffer that grows by doubling. */
  #kept = Buffer.alloc(0);
  #keptLength = 0;
  /** Bytes of the line so far, kept or not. */
  #length = 0;
  #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  /** Where the next chunk begins. */
  get offset(): number {
    return this.#offset;
  }

  /** The chunk's memory is the caller's again afterwards. */
  push(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const line = this.#end(chunk.subarray(from, at), this.#offset + at + 1);
      if (line !== null) lines.push(line);
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
    this.#offset += chunk.length;
    return lines;
  }

  /** The last line, where its writer is gone and no newline will come. */
  finish(): RawLine | null {
    return this.#length === 0 ? null : this.#end(Buffer.alloc(0), this.#offset);
  }

  #end(rest: Buffer, end: number): RawLine | null {
    let bytes = rest;
    if (this.#length > 0) {
      this.#keep(rest);
      bytes = this.#kept.subarray(0, this.#keptLength);
    }
    const line = toLine(bytes, Math.max(this.#length, rest.length), end);
    this.#length = 0;
    this.#keptLength = 0;
    if (this.#kept.length > KEPT_BYTES) this.#kept = Buffer.alloc(0);
    return line;
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    const most = this.#length > LIMITS.line ? HEAD_BYTES : LIMITS.line;
    const room = Math.max(0, most - this.#keptLength);
    const wanted = this.#keptLength + Math.min(room, part.length);
    if (wanted > this.#kept.length) {
      const grown = Buffer.alloc(Math.max(wanted, this.#kept.length * 2, 4096));
      this.#kept.copy(grown, 0, 0, this.#keptLength);
      this.#kept = grown;
    }
    part.copy(this.#kept, this.#keptLength, 0, wanted - this.#keptLength);
    this.#keptLength = wanted;
  }
}

function toLine(bytes: Buffer, length: number, end: number): RawLine | null {
  const head = (): string => bytes.toString('utf8', 0, HEAD_BYTES);
  if (length > LIMITS.line) return { end, head: head(), reason: TOO_LONG, bytes: length };
  if (!isUtf8(bytes)) return { end, head: head(), reason: NOT_UTF8, bytes: length };
  const text = bytes.toString('utf8');
  return text.trim() === '' ? null : { end, text };
}
