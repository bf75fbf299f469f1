import { type Answer, FilepathError, type Question } from '@filepath/protocol';

/** Nobody waits longer for a runner. */
const TIMEOUT_MS = 30_000;

type Waiting = {
  resolve: (answer: Answer) => void;
  reject: (error: FilepathError) => void;
};

/** Questions to one runner that are not answered yet. They are in memory: whoever asked waits. */
export class Asks {
  #waiting = new Map<number, Waiting>();
  #last = 0;
  #timeoutMs: number;

  constructor(timeoutMs: number = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves with the answer; rejects after a while, or when the runner is gone. */
  async ask(question: Question, send: (ask: number, question: Question) => void): Promise<Answer> {
    const ask = (this.#last += 1);
    const { promise, ...waiting } = Promise.withResolvers<Answer>();
    this.#waiting.set(ask, waiting);
    const late = `the runner has not answered within ${this.#timeoutMs / 1000} s: ask again`;
    const timer = setTimeout(() => waiting.reject(gone(late)), this.#timeoutMs);
    try {
      send(ask, question);
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(ask);
    }
  }

  answered(ask: number, answer: Answer): void {
    this.#waiting.get(ask)?.resolve(answer);
  }

  /** No answer will come to what was asked. */
  lost(): void {
    const error = gone('the link to the runner broke off: ask again');
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

export const gone = (message: string): FilepathError => new FilepathError('unavailable', message);
