import type { LogEvent } from './log-event.ts';

/** Synchronous sha256 in hex; injected, because the protocol imports no platform. */
export type Sha256 = (text: string) => string;

export const GENESIS = '0'.repeat(64);

type Head = Omit<LogEvent, 'body' | 'hash'>;

/**
 * The bytes that an event's hash covers, after the previous hash. `body` is the JSON text as stored; since
 * JSON.stringify(JSON.parse(text)) gives that text back, a reader of an export computes the same bytes.
 */
export function chainInput(previous: string, event: Head, body: string): string {
  const { seq, thread, run, step, event: number, at, source } = event;
  return `${previous}\n${JSON.stringify([seq, thread, run, step, number, at, source])}\n${body}`;
}

export function chainHash(sha256: Sha256, previous: string, event: Head, body: string): string {
  return sha256(chainInput(previous, event, body));
}

export type ChainFault = {
  seq: number;
  fault: 'changed' | 'missing' | 'reordered';
  detail: string;
};

/** Where a chain stands: the event that was last, and its hash. */
export type ChainPlace = { seq: number; hash: string };

export const CHAIN_START: ChainPlace = { seq: 0, hash: GENESIS };

/** What is wrong with an event that follows there, given what it hashes to. */
export function chainFault(after: ChainPlace, event: LogEvent, hash: string): ChainFault | null {
  const expected = after.seq + 1;
  if (event.seq < expected) {
    return fault(event.seq, 'reordered', `event ${event.seq} comes after event ${after.seq}`);
  }
  if (event.seq > expected) {
    return fault(expected, 'missing', `event ${event.seq} follows event ${after.seq}`);
  }
  if (hash !== event.hash) {
    return fault(event.seq, 'changed', `event ${event.seq} does not match its hash`);
  }
  return null;
}

/** Follows a chain event by event and names the first fault. */
export class ChainReader {
  #sha256: Sha256;
  #at = CHAIN_START;
  count = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get head(): string {
    return this.#at.hash;
  }

  next(event: LogEvent): ChainFault | null {
    const hash = chainHash(this.#sha256, this.#at.hash, event, JSON.stringify(event.body));
    const found = chainFault(this.#at, event, hash);
    if (found !== null) return found;
    this.#at = { seq: event.seq, hash };
    this.count += 1;
    return null;
  }
}

function fault(seq: number, kind: ChainFault['fault'], detail: string): ChainFault {
  return { seq, fault: kind, detail };
}
