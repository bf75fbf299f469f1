import type { Meter } from './meter/meter.ts';
import type { Times } from './times.ts';

/** How the way of an answer ended: whole, broken off by the provider, left by the agent, or given up by us. */
export type Passed = 'whole' | 'cut' | 'left' | 'idle' | 'stalled';

const BUFFER = 65_536;

/**
 * Carries an answer from a provider to an agent, one part at a time: the next is read when the last is taken, so
 * that neither side fills the memory. The meter sees each part first. A reader of its own for the meter (`tee`)
 * would hold in memory whatever a slow agent has not read.
 */
export class Passage {
  #reader: ReadableStreamBYOBReader;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #meter: Meter;
  #times: Times;
  #waitsFor: 'provider' | 'agent' = 'provider';
  #since: number;
  #leftAt: number | null = null;
  #gaveUp: Passed | null = null;
  #firstByteAt: number | null = null;

  constructor(
    source: ReadableStream<Uint8Array>,
    sink: WritableStream<Uint8Array>,
    meter: Meter,
    times: Times,
  ) {
    this.#reader = source.getReader({ mode: 'byob' });
    this.#writer = sink.getWriter();
    this.#meter = meter;
    this.#times = times;
    this.#since = Date.now();
    this.#writer.closed.catch(() => this.#left());
  }

  get firstByteAt(): number | null {
    return this.#firstByteAt;
  }

  /** The agent has gone away. What it asked for is read on for a while. */
  #left(): void {
    this.#leftAt ??= Date.now();
  }

  async run(): Promise<Passed> {
    let buffer = new ArrayBuffer(BUFFER);
    for (;;) {
      const { value, done } = await this.#read(new Uint8Array(buffer));
      if (this.#gaveUp) return this.#gaveUp;
      if (done) break;
      this.#firstByteAt ??= Date.now();
      const written = this.#leftAt === null ? this.#write(value) : null;
      this.#meter.push(value);
      await written;
      if (this.#gaveUp) return this.#gaveUp;
      buffer = value.buffer;
    }
    this.#meter.end();
    return this.#leftAt === null ? 'whole' : 'left';
  }

  /** Looks whether something takes too long. */
  tick(now: number): void {
    const { idle, stall, grace } = this.#times;
    const waited = now - this.#since;
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

  async #read(view: Uint8Array<ArrayBuffer>) {
    this.#waitsFor = 'provider';
    this.#since = Date.now();
    try {
      const { value, done } = await this.#reader.read(view);
      if (done || value === undefined) return { value: view, done: true };
      return { value, done: false };
    } catch {
      this.#gaveUp ??= 'cut';
      return { value: view, done: true };
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#waitsFor = 'agent';
    this.#since = Date.now();
    await this.#writer.write(chunk).catch(() => this.#left());
  }

  #giveUp(why: Passed): void {
    if (this.#gaveUp) return;
    this.#gaveUp = why;
    void this.#reader.cancel(why).catch(() => undefined);
    // A write that waits for the agent ends only so.
    if (why === 'stalled') void this.#writer.abort(why).catch(() => undefined);
  }
}
