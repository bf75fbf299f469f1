import type { Env } from '../env.ts';
import type { Session } from './session.ts';
import type { Start } from './starts.ts';

/** Tells threads that their starts may go. Threads take the same word once. */
export class Starting {
  #session: Session;
  #env: Env;

  constructor(session: Session, env: Env) {
    this.#session = session;
    this.#env = env;
  }

  get settled(): boolean {
    return this.#session.starts.going().length === 0;
  }

  /** Those that are let go wait for nobody else's; what failed is thrown after, to be tried again. */
  async settle(): Promise<void> {
    const results = await Promise.allSettled(
      this.#session.starts.going().map((start) => this.#go(start)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #go(start: Start): Promise<void> {
    await this.#env.THREAD.getByName(start.thread).go(start.epoch);
    this.#session.starts.told(start);
  }
}
