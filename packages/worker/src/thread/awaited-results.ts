import type { JobId, JobResult } from '@filepath/protocol';

/** Results of jobs that somebody waits for. In memory only: the log has them anyway. */
export class AwaitedResults {
  #waiting = new Map<JobId, (result: JobResult) => void>();

  /** Null: it has not come in time. */
  async wait(job: JobId, ms: number): Promise<JobResult | null> {
    const { promise, resolve } = Promise.withResolvers<JobResult | null>();
    this.#waiting.set(job, resolve);
    const timer = setTimeout(() => resolve(null), ms);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(job);
    }
  }

  came(result: JobResult): void {
    this.#waiting.get(result.job)?.(result);
  }
}
