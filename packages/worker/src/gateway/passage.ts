import type { Meter } from './meter/meter.ts';
import type { Times } from './times.ts';

/** How the way of an answer ended: whole, broken off by the provider, left by the agent, or given up by us. */
export type Passed = 'whole' | 'cut' | 'left' | 'idle' | 'stalled';

/** So much may be on its way to the agent; more is not read from the provider. */
const AHEAD = 65_536;

/**
 * Carries an answer from a provider to an agent, a part at a time: what the agent has not taken holds up the reading,
 * so that neither side fills the memory. The meter sees each part. A reader of its own for the meter (`tee`) would
 * hold in memory whatever a slow agent has not read.
 */
export class Passage {
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #meter: Meter;
  #times: Times;
  readonly readable: ReadableStream<Uint8Array>;
  #waitsFor: 'provider' | 'agent' = 'provider';
  /** Parts that went through when it was last looked, and when that was. */
  #parts = 0;
  #seen = { parts: -1, at: 0 };
  #leftAt: number | null = null;
  #gaveUp: Passed | null = null;
  #firstByteAt: number | null = null;

  constructor(source: ReadableStream<Uint8Array>, meter: Meter, times: Times) {
    const { readable, writable } = new IdentityTransformStream({ highWaterMark: AHEAD });
    this.readable = readable;
    this.#reader = source.getReader();
    this.#writer = writable.getWriter();
    this.#meter = meter;
    this.#times = times;
    this.#writer.closed.catch(() => this.#left());
  }

  get firstByteAt(): number | null {
    return this.#firstByteAt;
  }

  async run(): Promise<Passed> {
    const left = (): void => this.#left();
    let last = Promise.resolve();
    try {
      for (;;) {
        const { value, done } = await this.#reader.read();
        if (this.#gaveUp) return this.#gaveUp;
        if (done) break;
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
    await last;
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
    await this.#writer.ready.catch(() => this.#left());
    this.#waitsFor = 'provider';
  }

  /** The agent has gone away. What it asked for is read on for a while. */
  #left(): void {
    this.#leftAt ??= Date.now();
  }

  #giveUp(why: Passed): void {
    if (this.#gaveUp) return;
    this.#gaveUp = why;
    void this.#reader.cancel(why).catch(() => undefined);
    // A write that waits for the agent ends only so.
    if (why === 'stalled') void this.#writer.abort(why).catch(() => undefined);
  }
}
