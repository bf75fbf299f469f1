import type { Executor } from '../executor/executor.ts';
import type { RunDir } from '../home.ts';
import { graceLeft, readStop } from './stop-file.ts';

const TERM_MS = 2_000;

/** Grace, TERM, KILL. Reads the order from disk, so that a restarted runner goes on with it. */
export class Stopper {
  readonly #executor: Executor;
  readonly #run: RunDir;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #armed = false;

  constructor(executor: Executor, run: RunDir, failed: (error: unknown) => void) {
    this.#executor = executor;
    this.#run = run;
    this.#failed = failed;
  }

  arm(): void {
    const stop = readStop(this.#run.stop);
    if (stop === null || this.#armed) return;
    this.#armed = true;
    this.#timer = setTimeout(() => {
      if (this.#executor.state(this.#run).at !== 'alive') return;
      this.#timer = setTimeout(() => this.#kill(), TERM_MS);
      this.#executor.terminate(this.#run).catch(this.#failed);
    }, graceLeft(stop));
  }

  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Until it is gone: a sandbox that was just starting may not have been there to kill. */
  #kill(): void {
    if (this.#executor.state(this.#run).at !== 'alive') return;
    this.#timer = setTimeout(() => this.#kill(), TERM_MS);
    this.#executor.kill(this.#run).catch(this.#failed);
  }
}
