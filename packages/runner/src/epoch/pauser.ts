import { existsSync, rmSync } from 'node:fs';
import type { FreezeOrder } from '@filepath/protocol';
import { z } from 'zod';
import type { Executor } from '../executor/executor.ts';
import { readJson, writeDurable } from '../files.ts';
import type { RunDir } from '../home.ts';

const Pause = z.strictObject({ seq: z.int().min(1), frozen: z.boolean() });

/** Holds a process still while the last order says so. The order is on disk, so that a restarted runner keeps to it. */
export class Pauser {
  readonly #executor: Pick<Executor, 'freeze'>;
  readonly #run: RunDir;
  /** For a reason of the machine. */
  #held = false;
  /** It is to end: nothing holds it still any more. */
  #released = false;

  constructor(executor: Pick<Executor, 'freeze'>, run: RunDir) {
    this.#executor = executor;
    this.#run = run;
  }

  /** An order that a later one has overtaken changes nothing. A process that is being stopped must be able to. */
  async take({ seq, frozen }: FreezeOrder): Promise<void> {
    if (this.#ends() || (this.#last()?.seq ?? 0) > seq) return;
    await writeDurable(this.#run.pause, JSON.stringify({ seq, frozen }));
    // It may have been let go meanwhile, so that it can end.
    if (this.#ends()) return rmSync(this.#run.pause, { force: true });
    await this.#executor.freeze(this.#run, frozen || this.#held);
  }

  /** Whether a person has paused it. */
  get ordered(): boolean {
    return this.#last()?.frozen === true;
  }

  /** Holds the process still, or lets it go on unless it is paused by order. */
  async hold(held: boolean): Promise<void> {
    this.#held = held;
    if (this.#ends()) return;
    await this.#executor.freeze(this.#run, held || this.ordered);
  }

  /** A process may have come to life since the order. */
  async apply(): Promise<void> {
    if (this.#ends() || !(this.#held || this.ordered)) return;
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
    return Pause.nullable().catch(null).parse(readJson(this.#run.pause));
  }
}
