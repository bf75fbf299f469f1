import { rmSync } from 'node:fs';
import type { RunnerBody, StopOrder, ThreadId } from '@filepath/protocol';
import { endOnDisk } from './end-on-disk.ts';
import type { EpochContext } from './epoch/epoch.ts';
import { ObservedFile } from './epoch/observed-file.ts';
import type { Standstill } from './epoch/pauser.ts';
import { StdinFile } from './epoch/stdin-file.ts';
import { readStop, recordStop } from './epoch/stop-file.ts';
import { writeDurable } from './files.ts';
import type { RunDir } from './home.ts';
import { tellLastWord } from './last-word.ts';
import { reasonOf } from './log.ts';
import { Retries } from './retries.ts';

export const STOPPED_EARLY = 'stopped before it started';
const UNREADABLE = 'its order on the disk of the runner cannot be read: it was ended';

export type LostContext = Pick<EpochContext, 'run' | 'executor' | 'link' | 'log' | 'onOver'> & {
  thread: ThreadId;
};

/**
 * An epoch whose order is not on disk. Its process is ended and reported as lost, once. Its lines are not sent:
 * the secrets to take out of them stood in the order.
 */
export class LostEpoch {
  readonly #context: LostContext;
  readonly #retries = new Retries();
  readonly #closing = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(context: LostContext) {
    this.#context = context;
  }

  open(): void {
    const { log, thread, run } = this.#context;
    const carryOut = (): Promise<void> => {
      this.#work = this.#report();
      return this.#work;
    };
    this.#retries.run('report', carryOut, (error) => {
      if (this.#closing.signal.aborted) return;
      log({ level: 'error', event: 'fault', message: reasonOf(error), thread, epoch: run.epoch });
    });
  }

  async stop(order: StopOrder): Promise<void> {
    await recordStop(this.#context.run.stop, order);
  }

  /** It is being ended: nothing of it is held still. */
  async freeze(): Promise<void> {}

  async standStill(): Promise<Standstill> {
    return { kept: () => false, end: async () => undefined };
  }

  async end(reason: string): Promise<void> {
    const { executor, run } = this.#context;
    await endOnDisk(executor, run, reason);
  }

  async close(): Promise<void> {
    this.#retries.close();
    this.#closing.abort();
    await this.#work.catch(() => undefined);
  }

  async #report(): Promise<void> {
    const { executor, run, log, link, thread, onOver } = this.#context;
    const { epoch } = run;
    const { signal } = this.#closing;
    await endOnDisk(executor, run, readStop(run.stop) === null ? UNREADABLE : STOPPED_EARLY);
    const observed = new ObservedFile(run.observed);
    try {
      const body = this.#ending();
      if (observed.terminal === null) {
        await observed.append(body);
        const message = body.type === 'exit' ? body.reason : 'refused';
        log({ level: 'warn', event: 'exited', message, thread, epoch });
      }
      const identity = { ...link, thread, epoch, log };
      const reason = await tellLastWord(identity, observed, new StdinFile(run.stdin), signal);
      await writeDurable(run.over, reason);
      forget(run);
      log({ level: 'info', event: 'over', message: reason, thread, epoch });
      onOver();
    } finally {
      observed.close();
    }
  }

  #ending(): RunnerBody {
    const { executor, run } = this.#context;
    const { epoch } = run;
    const state = executor.state(run);
    if (state.at === 'never') return { type: 'refused', epoch, reason: state.reason };
    return lostBody(epoch, UNREADABLE);
  }
}

export const lostBody = (epoch: number, detail: string): RunnerBody => ({
  type: 'exit',
  epoch,
  code: null,
  signal: null,
  reason: 'lost',
  detail,
});

/** Takes secrets and output of an epoch off the disk. */
export function forget(run: RunDir): void {
  for (const path of [run.order, run.args, run.spool]) rmSync(path, { force: true });
}
