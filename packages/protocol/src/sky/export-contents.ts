import { CHAIN_START, chainFault, chainInput, type ChainPlace } from '../thread/chain.ts';
import type { LogEvent } from '../thread/log-event.ts';
import {
  SKY_EXPORT_VERSION,
  SKY_SCHEMAS,
  type SkyExportEnd,
  type SkyExportHeader,
  type SkyExportLine,
  skyRank,
} from './export-lines.ts';
import { sha256Hex } from './hashing.ts';
import { skyEventOf } from './in-log.ts';
import type { Receipt } from './receipts.ts';
import { receiptFault } from './tunnel/receipt-fault.ts';
import { isReadable, SESSION_VERSION } from './versions.ts';

const NEWER = 'it was written by a newer filepath: update this one to read it';

/** What the lines of an export say together: their order, their thread, the chain of the log, the counts of the end. */
export class SkyContents {
  #header: SkyExportHeader | null = null;
  #log: ChainPlace = CHAIN_START;
  #rank = -1;
  counts = { messages: 0, events: 0, receipts: 0, memory: 0 };

  get thread(): string {
    return this.#header?.thread_id ?? '';
  }

  /** What is wrong with the line that follows. */
  async next(line: SkyExportLine): Promise<string | null> {
    const rank = skyRank(line.type);
    if (line.type === 'sky.export') return this.#begin(line.body, rank);
    if (this.#header === null) return 'this is no export: its first line is no header';
    if (rank < this.#rank) return `a ${line.type} comes too late`;
    this.#rank = rank;
    switch (line.type) {
      case 'message':
        this.counts.messages += 1;
        return this.#ofThread(line.body.thread_id);
      case 'event':
        this.counts.events += 1;
        return this.#ofThread(line.body.thread) ?? (await this.#event(line.body));
      case 'receipt':
        this.counts.receipts += 1;
        if (!isReadable(line.body.cf_sky_version)) return NEWER;
        return this.#ofThread(line.body.thread_id) ?? (await this.#receipt(line.body));
      case 'memory':
        this.counts.memory += 1;
        if (this.counts.memory > 1) return 'there is a second memory';
        return this.#ofThread(line.body.thread_id);
      case 'end':
        return this.#end(line.body);
    }
  }

  #begin(header: SkyExportHeader, rank: number): string | null {
    if (this.#header !== null) return 'there is a second header';
    const newer =
      header.version > SKY_EXPORT_VERSION ||
      header.liteclaw_session_version > SESSION_VERSION ||
      !isReadable(header.cf_sky_version) ||
      Object.entries(header.schemas).some(
        ([name, version]) => version > SKY_SCHEMAS[name as keyof typeof SKY_SCHEMAS],
      );
    if (newer) return NEWER;
    this.#header = header;
    this.#rank = rank;
    this.#log = header.after;
    return null;
  }

  #ofThread(thread: string): string | null {
    return thread === this.thread ? null : `it is of another thread, ${thread}`;
  }

  async #receipt(receipt: Receipt): Promise<string | null> {
    const fault = receipt.type === 'receipt.tool' ? await receiptFault(receipt) : null;
    return fault && `the receipt of ${receipt.run_id ?? 'no run'} is wrong: ${fault}`;
  }

  async #event(event: LogEvent): Promise<string | null> {
    const input = chainInput(this.#log.hash, event, JSON.stringify(event.body));
    const fault = chainFault(this.#log, event, await sha256Hex(input));
    if (fault !== null) return `event ${fault.seq} of the log is ${fault.fault}: ${fault.detail}`;
    this.#log = { seq: event.seq, hash: event.hash };
    if (event.source !== 'sky') return null;
    const reading = skyEventOf(event);
    return reading.ok ? null : `event ${event.seq} is none of Sky: ${reading.reason}`;
  }

  #end(end: SkyExportEnd): string | null {
    for (const what of ['messages', 'events', 'receipts', 'memory'] as const) {
      if (end[what] !== this.counts[what]) {
        return `the end says ${end[what]} ${what}, there are ${this.counts[what]}`;
      }
    }
    const same = end.log.seq === this.#log.seq && end.log.hash === this.#log.hash;
    return same ? null : 'the end names another last event of the log';
  }
}
