import type { RunnerBody } from '@filepath/protocol';
import { isDiskFull, readText } from '../files.ts';
import { cpuTime } from '../limits/cpu-time.ts';
import type { RunnerLog } from '../log.ts';
import type { SpoolFeed } from '../spool/feed.ts';
import type { EpochContext } from './epoch.ts';
import { DISK_FULL, Hold } from './hold.ts';
import type { ObservedFile } from './observed-file.ts';
import type { Pauser } from './pauser.ts';
import type { PendingInputs } from './pending-inputs.ts';
import { Silence } from './silence.ts';
import type { StdinFile } from './stdin-file.ts';

export type UpkeepParts = {
  context: Pick<EpochContext, 'disk' | 'run' | 'executor' | 'order' | 'silenceMs'>;
  observed: ObservedFile;
  stdin: StdinFile;
  inputs: PendingInputs;
  spool: SpoolFeed;
  pauser: Pauser;
  /** Holds the process still, or lets it go on. */
  still(held: boolean): void;
  observe(body: RunnerBody): void;
  /** This input stands in the agent's stdin now. */
  written(input: number): void;
  /** There is more to tell. */
  more(): void;
  say(level: RunnerLog['level'], event: RunnerLog['event'], message: string): void;
};

/** Looks after a process that runs: whether there is room for what it says, and whether it says anything. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #hold: Hold;
  readonly #silence: Silence;
  /** The disk had no room for the start. */
  noRoom = false;

  constructor(parts: UpkeepParts) {
    const { context, observed, pauser } = parts;
    this.#parts = parts;
    this.#hold = new Hold(
      context.order.epoch,
      observed,
      (held) => parts.still(held),
      (body) => parts.observe(body),
    );
    this.#silence = new Silence(context.silenceMs, () => ({
      printed: parts.spool.printed,
      inputs: parts.stdin.count,
      cpuMs: cpuTime(context.run),
      still: this.#hold.active || pauser.still,
    }));
  }

  /** Holds the agent while there is no room on the disk, and makes up for what could not be written. */
  room(): void {
    const { context } = this.#parts;
    const { disk, run } = context;
    const full = this.noRoom || !this.#catchUp() || readText(run.pump)?.trim() === 'full';
    const reason = disk.low ?? (full ? DISK_FULL : null);
    if (!this.#hold.update(reason)) return;
    this.#parts.say('warn', reason === null ? 'released' : 'held', reason ?? 'there is room again');
  }

  listen(): void {
    const { context, observed } = this.#parts;
    const { run, executor, order } = context;
    if (!observed.has('started') || executor.state(run).at !== 'alive') return;
    const seconds = this.#silence.look();
    if (seconds === null) return;
    this.#parts.observe({ type: 'silent', epoch: order.epoch, seconds });
    this.#parts.say('info', 'silent', `nothing heard for ${seconds} s`);
  }

  /** Says whether there was room. */
  #catchUp(): boolean {
    const { inputs, observed } = this.#parts;
    try {
      const written = inputs.flush();
      if (written !== null) this.#parts.written(written);
      if (observed.flush()) this.#parts.more();
      return !inputs.waiting;
    } catch (error) {
      if (isDiskFull(error)) return false;
      throw error;
    }
  }
}
