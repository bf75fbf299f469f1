import { setTimeout as delay } from 'node:timers/promises';
import type { Executor } from '../executor/executor.ts';
import type { RunDir } from '../home.ts';
import { graceLeft, readStop } from './stop-file.ts';

const TERM_MS = 2_000;
/** An engine of containers that does not answer is not waited for. */
const TOLD_MS = 2_000;

/** Grace, TERM, KILL. Reads the order from disk, so that a restarted runner goes on with it. */
export class Stopper {
  readonly #executor: Pick<Executor, 'state' | 'terminate' | 'kill'>;
  readonly #run: RunDir;
  readonly #killed: () => void;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #armed = false;
  #cancelled = false;

  /** `killed`: nothing of it writes any more. */
  constructor(
    executor: Pick<Executor, 'state' | 'terminate' | 'kill'>,
    run: RunDir,
    { killed, failed }: { killed: () => void; failed: (error: unknown) => void },
  ) {
    this.#executor = executor;
    this.#run = run;
    this.#killed = killed;
    this.#failed = failed;
  }

  get armed(): boolean {
    return this.#armed;
  }

  /** With a grace, also an order that could not be recorded. */
  arm(graceMs: number | null = null): void {
    const given = graceMs === null ? null : { at: Date.now(), graceMs };
    const stop = readStop(this.#run.stop) ?? given;
    if (stop === null || this.#armed) return;
    this.#armed = true;
    this.#timer = setTimeout(() => {
      this.#terminate().catch(this.#failed);
    }, graceLeft(stop));
  }

  cancel(): void {
    this.#cancelled = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** The time that it has to end begins when it was told. */
  async #terminate(): Promise<void> {
    if (this.#executor.state(this.#run).at !== 'alive') return;
    const told = this.#executor.terminate(this.#run).catch(this.#failed);
    await Promise.race([told, delay(TOLD_MS, undefined, { ref: false })]);
    if (!this.#cancelled) this.#timer = setTimeout(() => this.#kill(), TERM_MS);
  }

  /** Until it is gone: a sandbox that was just starting may not have been there to kill. */
  #kill(): void {
    if (this.#executor.state(this.#run).at !== 'alive') return;
    this.#timer = setTimeout(() => this.#kill(), TERM_MS);
    this.#executor.kill(this.#run).then(this.#killed).catch(this.#failed);
  }
}
