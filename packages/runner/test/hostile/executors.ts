import type { StartOrder } from '@filepath/protocol';
import type { RunnerOptions } from '../../src/index.ts';
import { shellOrder } from '../setup.ts';

/** A way to run agents, as the hostile tests see it. */
export type HostileExecutor = {
  name: string;
  /** For a runner that runs agents this way. */
  options: Partial<RunnerOptions>;
  /** What makes an agent of this command run this way. */
  config(command: string[]): StartOrder['config'];
};

/** Each of the hostile tests is run once for each. */
export const executors: readonly HostileExecutor[] = [
  { name: 'sandbox', options: {}, config: (command) => ({ command }) },
];

/** An order for a hostile agent that is a shell script. */
export function hostileOrder(
  executor: HostileExecutor,
  script: string,
  more: Partial<Omit<StartOrder, 'config'>> = {},
  envVars: Record<string, string> = {},
): StartOrder {
  const config = { ...executor.config(['sh', '-c', script]), envVars };
  return shellOrder('', { ...more, config });
}
