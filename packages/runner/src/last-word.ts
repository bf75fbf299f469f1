import type { InputLine, RunnerBody } from '@filepath/protocol';
import { AgentLink, type AgentLinkOptions } from './link/agent-link.ts';

const CHECK_MS = 1_000;

/** What is told: its last observation is the terminal one. */
export type Word = {
  readonly count: number;
  at(id: number): RunnerBody | null;
  catchUp(stored: number): void;
};

export type Inputs = { readonly count: number; append(inputs: readonly InputLine[]): void };

/** Tells the worker how an epoch ended, without its lines. Resolves when the worker calls it over. */
export function tellLastWord(
  options: AgentLinkOptions,
  word: Word,
  inputs: Inputs,
  signal: AbortSignal,
): Promise<'ended' | 'fenced' | 'deleted'> {
  const { promise, resolve, reject } = Promise.withResolvers<'ended' | 'fenced' | 'deleted'>();
  const stop = (): void => reject(new Error('the runner is stopping'));
  const link = new AgentLink(options, {
    readable: () => true,
    resume: (_offset, observed) => word.catchUp(observed),
    next: () => null,
    exhausted: () => true,
    observations: () => word.count,
    observation: (id) => word.at(id),
    inputs: () => inputs.count,
    input: (line) => {
      inputs.append([line]);
      return true;
    },
    acknowledged: () => undefined,
    over: resolve,
  });
  const check = setInterval(() => link.check(), CHECK_MS);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  else link.open();
  return promise.finally(() => {
    clearInterval(check);
    signal.removeEventListener('abort', stop);
    link.close();
  });
}

/** One observation that is in no file: it follows on whatever the worker has stored. */
export function unfiled(body: RunnerBody): Word {
  let stored = 0;
  return {
    get count() {
      return stored + 1;
    },
    at: (id) => (id === stored + 1 ? body : null),
    catchUp: (observed) => {
      stored = observed;
    },
  };
}

/** An agent that is gone reads nothing. */
export const NO_INPUTS: Inputs = { count: 0, append: () => undefined };
