import type { Executor, Limits } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { LOCAL_RUNNER } from './local-runner.ts';

type AgentsHealth = {
  available: boolean;
  reason?: string;
  limits?: Limits;
  executors?: Executor[];
};

/** Whether agents can run, as the runner last said it. */
export async function agentsAvailable(env: Env): Promise<AgentsHealth> {
  const { connected, executors } = await env.RUNNER.getByName(LOCAL_RUNNER).status();
  if (!connected) {
    return { available: false, reason: 'no runner is connected: agents start when one is back' };
  }
  const able = executors.find((executor) => executor.available);
  if (able !== undefined) {
    return { available: true, ...(able.limits && { limits: able.limits }), executors };
  }
  const reason = executors.find((executor) => executor.reason !== undefined)?.reason;
  return { available: false, reason: reason ?? 'the runner cannot start agents', executors };
}
