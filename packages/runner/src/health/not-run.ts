import type { TaskResult } from '../executor/executor.ts';
import { reasonOf } from '../log.ts';

/** A look at the workspace that could not be taken keeps no agent from starting. */
export const notRun = (error: unknown): TaskResult => ({
  status: null,
  output: reasonOf(error),
  timedOut: false,
});
