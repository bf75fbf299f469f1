import type { Meter } from './meter/meter.ts';
import type { Times } from './times.ts';

/** How the way of an answer ended: whole, broken off by the provider, left by the agent, or given up by us. */
export type Passed = 'whole' | 'cut' | 'left' | 'idle' | 'stalled';

/** So much may be on its way to the agent; more is not read from the provider. */
const AHEAD = 65_536;
/** Room for a few words: a buffer is made for each part, and costs by its size. */
const SMALLEST = 512;
/** workerd gives what it read along with the head of a chunk for itself, up to 28 bytes. Every event has more. */
const AT_LEAST = 29;

/**
 * Carries an answer from a provider to an agent, a part at a time: what the agent has not taken holds up the reading,
 * so that neither side fills the memory. The meter sees each part. A reader of its own for the meter (`tee`) would
 * hold in memory whatever a slow agent has not read.
 */
export class Passage {
  #reader: ReadableStreamBYOBReader | null = null;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #meter: Meter;
  #times: Times;
  readonly readable: ReadableStream<Uint8Array>;
  #waitsFor: 'provider' | 'agent' = 'provider';
  /** Parts that went through when it was last looked, and when that was. */
  #parts = 0;
  #seen = { parts: -1, at: 0 };
  #leftAt: number | null = null;
  /** Nothing is waited for any more that only the agent could do. */
  #gone = Promise.withResolvers<void>();
  #gaveUp: Passed | null = null;
  #firstByteAt: number | null = null;

  constructor(meter: Meter, times: Times) {
    const { readable, writable } = new IdentityTransformStream({ highWaterMark: AHEAD });
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#meter = meter;
    this.#times = times;
    this.#writer.closed.catch(() => this.leave());
  }

  get firstByteAt(): number | null {
    return this.#firstByteAt;
  }

  async run(source: ReadableStream<Uint8Array>): Promise<Passed> {
    const left = (): void => this.leave();
    let last = Promise.resolve();
    let size = SMALLEST;
    try {
      const reader = source.getReader({ mode: 'byob' });
      this.#reader = reader;
      for (;;) {
        const { value, done } = await reader.readAtLeast(AT_LEAST, new Uint8Array(size));
        if (this.#gaveUp) return this.#gaveUp;
        if (done || value === undefined) break;
        // Words come in little parts, images and whole answers in large ones.
        if (value.length === size) size = Math.min(size * 4, AHEAD);
        this.#parts += 1;
        this.#firstByteAt ??= Date.now();
        if (this.#leftAt === null) last = this.#writer.write(value).catch(left);
        this.#meter.push(value);
        if (this.#leftAt === null && (this.#writer.desiredSize ?? 1) <= 0) await this.#taken();
        if (this.#gaveUp) return this.#gaveUp;
      }
    } catch {
      return this.#gaveUp ?? 'cut';
    }
    this.#meter.end();
    this.#waitsFor = 'agent';
    await Promise.race([last, this.#gone.promise]);
    if (this.#gaveUp) return this.#gaveUp;
    return this.#leftAt === null ? 'whole' : 'left';
  }

  /** Looks whether something takes too long. */
  tick(now: number): void {
    const { idle, stall, grace } = this.#times;
    if (this.#seen.parts !== this.#parts) this.#seen = { parts: this.#parts, at: now };
    const waited = now - this.#seen.at;
    if (this.#leftAt !== null && now - this.#leftAt >= grace) this.#giveUp('left');
    else if (this.#waitsFor === 'provider' && waited >= idle) this.#giveUp('idle');
    else if (this.#waitsFor === 'agent' && waited >= stall) this.#giveUp('stalled');
  }

  /** The agent has gone away. What it asked for is read on for a while. */
  leave(at = Date.now()): void {
    this.#leftAt ??= at;
    this.#gone.resolve();
  }

  /** Ends the agent's side. `last` is what it is told beforehand, if it is still there. */
  async close(last: Uint8Array | null): Promise<void> {
    try {
      if (last) await this.#writer.write(last);
      await this.#writer.close();
    } catch {
      // It has left.
    }
  }

  async #taken(): Promise<void> {
    this.#waitsFor = 'agent';
    const ready = this.#writer.ready.catch(() => this.leave());
    await Promise.race([ready, this.#gone.promise]);
    this.#waitsFor = 'provider';
  }

  #giveUp(why: Passed): void {
    if (this.#gaveUp) return;
    this.#gaveUp = why;
    this.#gone.resolve();
    void this.#reader?.cancel(why).catch(() => undefined);
    // A write that waits for the agent ends only so.
    if (why === 'stalled') void this.#writer.abort(why).catch(() => undefined);
  }
}
