import type { Env } from '../env.ts';
import { LOCAL_RUNNER } from '../session/session-work.ts';

/** Whether agents can run, as the runner last said it. */
export async function agentsAvailable(env: Env): Promise<{ available: boolean; reason?: string }> {
  const { connected, executors } = await env.RUNNER.getByName(LOCAL_RUNNER).status();
  if (!connected) {
    return { available: false, reason: 'no runner is connected: agents start when one is back' };
  }
  if (executors.some((executor) => executor.available)) return { available: true };
  const reason = executors.find((executor) => executor.reason !== undefined)?.reason;
  return { available: false, reason: reason ?? 'the runner cannot start agents' };
}
