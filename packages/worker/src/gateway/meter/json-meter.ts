import type { TokenCounts, WireFormat } from '@filepath/protocol';
import { parsed, scanObject } from '../body/json-scan.ts';
import type { Meter, Reading } from './meter.ts';
import { countsOf } from './usage.ts';

/** A longer answer is passed on and not read. */
const MAX_BODY = 32 * 1024 * 1024;

/** An answer that comes whole: one JSON object with `usage` at its top. */
export class JsonMeter implements Meter {
  #format: WireFormat;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #final: TokenCounts | null = null;
  #ended = false;

  constructor(format: WireFormat) {
    this.#format = format;
  }

  push(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size <= MAX_BODY) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  end(): void {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    const scanned = this.#size > MAX_BODY ? null : scanObject(bytes);
    const usage = scanned?.members.findLast(({ key }) => key === 'usage');
    this.#ended = scanned !== null;
    if (usage)
      this.#final = countsOf(this.#format, parsed(bytes, usage.valueStart, usage.valueEnd));
  }

  reading(): Reading {
    const { length } = this.#chunks;
    const begun = length > 0 || this.#size > 0;
    return { final: this.#final, known: null, ended: this.#ended, begun, error: null };
  }
}
