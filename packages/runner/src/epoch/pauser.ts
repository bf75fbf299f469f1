import { existsSync, rmSync } from 'node:fs';
import type { FreezeOrder } from '@filepath/protocol';
import { z } from 'zod';
import { setTimeout as delay } from 'node:timers/promises';
import { type Executor, Refusal } from '../executor/executor.ts';
import { readJson, writeDurable } from '../files.ts';
import type { RunDir } from '../home.ts';

const Pause = z.strictObject({ seq: z.int().min(1), frozen: z.boolean() });

const STILL_MS = 10;
const STILL_TRIES = 1000;

/** A process that is held still while its work is tested. */
export type Standstill = {
  /** Whether nothing of it has run since. */
  kept(): boolean;
  /** Lets it go on, unless it is held for another reason. */
  end(): Promise<void>;
};

const lastPause = (run: RunDir): z.infer<typeof Pause> | null =>
  Pause.nullable().catch(null).parse(readJson(run.pause));

/** Whether a person has paused what began with this epoch. */
export const isPaused = (run: RunDir): boolean => lastPause(run)?.frozen === true;

/** Keeps an order for an epoch that has no process any more: what tests its work stands still, too. */
export async function recordPause(run: RunDir, { seq, frozen }: FreezeOrder): Promise<void> {
  if (!existsSync(run.path) || (lastPause(run)?.seq ?? 0) > seq) return;
  await writeDurable(run.pause, JSON.stringify({ seq, frozen }));
}

/** Holds a process still while the last order says so. The order is on disk, so that a restarted runner keeps to it. */
export class Pauser {
  readonly #executor: Pick<Executor, 'freeze' | 'stillness'>;
  readonly #run: RunDir;
  /** For a reason of the machine. */
  #held = false;
  /** Its work is being tested. */
  #tested = false;
  /** It is to end: nothing holds it still any more. */
  #released = false;

  constructor(executor: Pick<Executor, 'freeze' | 'stillness'>, run: RunDir) {
    this.#executor = executor;
    this.#run = run;
  }

  /** An order that a later one has overtaken changes nothing. A process that is being stopped must be able to. */
  async take({ seq, frozen }: FreezeOrder): Promise<void> {
    if (this.#ends() || (this.#last()?.seq ?? 0) > seq) return;
    await writeDurable(this.#run.pause, JSON.stringify({ seq, frozen }));
    // It may have been let go meanwhile, so that it can end.
    if (this.#ends()) return rmSync(this.#run.pause, { force: true });
    await this.#executor.freeze(this.#run, this.#wanted);
  }

  /** Whether a person has paused it. */
  get ordered(): boolean {
    return isPaused(this.#run);
  }

  /** Holds the process still, or lets it go on unless it is paused by order. */
  async hold(held: boolean): Promise<void> {
    this.#held = held;
    if (this.#ends()) return;
    await this.#executor.freeze(this.#run, this.#wanted);
  }

  /** Whether it stands still by order, or for a while that is not its own. */
  get still(): boolean {
    return this.#tested || this.ordered;
  }

  get #wanted(): boolean {
    return this.#held || this.still;
  }

  /** Holds the process still while its work is tested. Throws a Refusal where it cannot be held. */
  async standStill(): Promise<Standstill> {
    this.#tested = true;
    try {
      const mark = await this.#settled();
      return {
        kept: () => this.#tested && !this.#ends() && this.#executor.stillness(this.#run) === mark,
        end: () => this.goOn(),
      };
    } catch (error) {
      await this.goOn();
      throw error;
    }
  }

  /** Its work is tested no more, or it is told something before that is over. */
  async goOn(): Promise<void> {
    if (!this.#tested) return;
    this.#tested = false;
    if (!this.#ends()) await this.#executor.freeze(this.#run, this.#wanted);
  }

  async #settled(): Promise<string | null> {
    let before: string | null = null;
    for (let tries = 0; tries < STILL_TRIES && this.#tested && !this.#ends(); tries++) {
      // Again: what a process began just before it was held may have been overlooked.
      await this.apply();
      const mark = this.#executor.stillness(this.#run);
      if (mark !== null && mark === before) return mark;
      before = mark;
      await delay(STILL_MS);
    }
    if (!this.#tested || this.#ends()) return null;
    throw new Refusal('its process cannot be held still, and would change what is tested');
  }

  /** A process may have come to life since the order. */
  async apply(): Promise<void> {
    if (this.#ends() || !this.#wanted) return;
    await this.#executor.freeze(this.#run, true);
  }

  /** Lets the process go on, so that it can end. */
  async release(): Promise<void> {
    this.#released = true;
    rmSync(this.#run.pause, { force: true });
    await this.#executor.freeze(this.#run, false);
  }

  #ends(): boolean {
    return this.#released || existsSync(this.#run.stop);
  }

  #last(): z.infer<typeof Pause> | null {
    return lastPause(this.#run);
  }
}
