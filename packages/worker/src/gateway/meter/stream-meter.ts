import type { TokenCounts, WireFormat } from '@filepath/protocol';
import type { Meter, Reading } from './meter.ts';
import { SseReader } from './sse.ts';
import { at, countsOf } from './usage.ts';

type State = { -readonly [K in keyof Reading]: Reading[K] };

/**
 * Nobody waits for the count: parts are copied together and read so, and not while one of them is passed on. To hold
 * the parts themselves would hold the buffers that they came in, which are larger.
 */
const READ_AT_ONCE = 16_384;

/** Events that tell nothing of this are not parsed: most of a stream is text. */
const TELLING: Record<WireFormat, RegExp> = {
  anthropic: /"(?:message_start|message_delta|message_stop|error)"/,
  'openai-chat': /"(?:usage|error|finish_reason)"/,
  'openai-responses': /"(?:response\.(?:completed|incomplete|failed)|error)"/,
};

/** An answer that comes as a stream of events. */
export class StreamMeter implements Meter {
  #format: WireFormat;
  #reader = new SseReader(
    (data) => this.#event(data),
    (events) => this.#isIdle(events),
  );
  #held = new Uint8Array(READ_AT_ONCE);
  #size = 0;
  #state: State = { final: null, known: null, ended: false, begun: false, error: null };
  /** What is counted from here on is all of it: a choice has ended, or Anthropic's last count came. */
  #finished = false;

  constructor(format: WireFormat) {
    this.#format = format;
  }

  push(chunk: Uint8Array): void {
    if (this.#size + chunk.length > READ_AT_ONCE) this.#read();
    if (chunk.length > READ_AT_ONCE) this.#reader.push(chunk);
    else {
      this.#held.set(chunk, this.#size);
      this.#size += chunk.length;
    }
  }

  end(): void {
    this.#read();
    this.#reader.end();
  }

  reading(): Reading {
    this.#read();
    return { ...this.#state };
  }

  #read(): void {
    if (this.#size > 0) this.#reader.push(this.#held.subarray(0, this.#size));
    this.#size = 0;
  }

  /** Nothing that these events could say is news. */
  #isIdle(events: string): boolean {
    return this.#state.begun && !TELLING[this.#format].test(events) && !events.includes('[DONE]');
  }

  #event(data: string): void {
    if (data === '[DONE]') {
      this.#state.ended = true;
      return;
    }
    if (!TELLING[this.#format].test(data)) {
      this.#state.begun ||=
        this.#format !== 'openai-responses' || data.includes('"response.output');
      return;
    }
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      return;
    }
    if (this.#format === 'anthropic') this.#anthropic(event);
    else if (this.#format === 'openai-chat') this.#chat(event);
    else this.#responses(event);
  }

  #anthropic(event: unknown): void {
    const type = at(event, 'type');
    if (type === 'message_start') {
      this.#know(countsOf('anthropic', at(event, 'message', 'usage')));
      this.#state.begun = true;
    } else if (type === 'message_delta') {
      const counts = countsOf('anthropic', at(event, 'usage'), this.#state.known ?? undefined);
      this.#know(counts);
      this.#finished ||= counts !== null;
      // With the reason to stop comes the last count.
      if (typeof at(event, 'delta', 'stop_reason') === 'string') this.#state.final = counts;
    } else if (type === 'message_stop') {
      this.#state.ended = true;
      if (this.#finished) this.#state.final ??= this.#state.known;
    } else if (type === 'error') this.#fail(at(event, 'error'));
    else this.#state.begun = true;
  }

  #chat(event: unknown): void {
    const choices = at(event, 'choices');
    const list: unknown[] = Array.isArray(choices) ? choices : [];
    this.#state.begun ||= list.length > 0;
    this.#finished ||= list.some((choice) => typeof at(choice, 'finish_reason') === 'string');
    const counts = countsOf('openai-chat', at(event, 'usage'));
    this.#know(counts);
    // Some servers tell a running count with every chunk.
    if (counts && (this.#finished || list.length === 0)) this.#state.final = counts;
    if (at(event, 'error')) this.#fail(at(event, 'error'));
  }

  #responses(event: unknown): void {
    const type = at(event, 'type');
    if (type === 'error') this.#fail(at(event, 'error') ?? event);
    else if (type === 'response.failed') this.#fail(at(event, 'response', 'error'));
    else if (type !== 'response.completed' && type !== 'response.incomplete') {
      this.#state.begun ||= typeof type === 'string' && type.startsWith('response.output');
      return;
    }
    this.#state.ended = true;
    this.#state.final = countsOf('openai-responses', at(event, 'response', 'usage'));
  }

  #know(counts: TokenCounts | null): void {
    if (counts) this.#state.known = counts;
  }

  #fail(error: unknown): void {
    const message = at(error, 'message');
    this.#state.error = typeof message === 'string' ? message : JSON.stringify(error ?? null);
  }
}
