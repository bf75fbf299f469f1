import { type GateResult, gateReason, GateResult as Result } from './gates.ts';

/** The reason of an agent whose work is being tested. */
export const GATE = 'gate';

/** The reason of an agent that calls work done for which no gate was asked. */
export const NOT_TESTED = 'not tested';

/** What the table log → status knows of gates. */
export type GateStatus = {
  /** How often a failure goes back to the agent, as the runner told for this process. Null: there are no gates. */
  gates: number | null;
  /** The gate that is waited for. Its job is null until it is ordered. */
  gate: { job: string | null; attempts: number } | null;
  /** Gates that failed since the last message of a person or parent. */
  failures: number;
};

export const NO_GATE: GateStatus = { gates: null, gate: null, failures: 0 };

/** A state that was stored before there were gates has none. */
export const awaited = (now: Partial<GateStatus>): GateStatus['gate'] => now.gate ?? null;

export type GateEnd =
  | { at: 'passed' }
  /** It goes back to the agent. */
  | { at: 'back'; failures: number }
  | { at: 'failed'; reason: string }
  /** Nobody waits for it. */
  | { at: 'stale' };

/** What a result means for an agent whose state this is. */
export function gateEnd(now: Partial<GateStatus>, body: Record<string, unknown>): GateEnd {
  const gate = awaited(now);
  if (gate === null || gate.job === null || gate.job !== body['job']) return { at: 'stale' };
  if (body['type'] === 'job_failed') {
    return { at: 'failed', reason: `the gates could not be run: ${String(body['reason'])}` };
  }
  if (body['passed'] === true) return { at: 'passed' };
  const failures = (now.failures ?? 0) + 1;
  if (failures <= gate.attempts) return { at: 'back', failures };
  const result: GateResult | undefined = Result.safeParse(body).data;
  return { at: 'failed', reason: result === undefined ? 'gate failed' : gateReason(result) };
}
