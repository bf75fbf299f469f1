import type { TokenCounts, WireFormat } from '@filepath/protocol';
import { JsonMeter } from './json-meter.ts';
import { StreamMeter } from './stream-meter.ts';

/** What an answer has told about itself so far. */
export type Reading = {
  /** Its whole usage. Null: not told. */
  readonly final: TokenCounts | null;
  /** What was told before the end: its input is right, its output is not all. */
  readonly known: TokenCounts | null;
  /** The provider's own end of a stream came. */
  readonly ended: boolean;
  /** The model has begun to answer. */
  readonly begun: boolean;
  /** The provider's words where it says in the answer that it failed. */
  readonly error: string | null;
};

/** Reads an answer beside its way to the agent, and changes nothing of it. */
export type Meter = {
  push(chunk: Uint8Array): void;
  /** All of it has come. */
  end(): void;
  reading(): Reading;
};

export const isStream = (headers: Headers): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

export function meterFor(format: WireFormat, stream: boolean): Meter {
  return stream ? new StreamMeter(format) : new JsonMeter(format);
}
