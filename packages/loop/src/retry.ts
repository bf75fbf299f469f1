import type { Emit } from './events.ts';
import { type Failure, failureOf } from './failure.ts';
import { type Resumes, waitUntil } from './wait.ts';

export type RetryPolicy = {
  /** Tries after the first. */
  readonly attempts: number;
  /** Before the first new try; doubled with each. */
  readonly baseMs: number;
  /** The longest wait. A provider that asks for more has ended the work. */
  readonly maxMs: number;
  /** For so long, and this often, it is asked again where nobody answers at all. */
  readonly away: { readonly forMs: number; readonly everyMs: number };
};

export const RETRIES: RetryPolicy = {
  attempts: 6,
  baseMs: 1_000,
  maxMs: 120_000,
  away: { forMs: 900_000, everyMs: 5_000 },
};

export type Tried<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure }
  | { readonly ok: false; readonly failure: null };

/** Calls until it works, cannot work, or was tried often enough. A null failure: it was interrupted. */
export async function withRetries<T>(
  call: () => Promise<T>,
  {
    policy,
    emit,
    signal,
    resumes,
  }: { policy: RetryPolicy; emit: Emit; signal: AbortSignal; resumes?: Resumes | undefined },
): Promise<Tried<T>> {
  let tried = 0;
  let awaySince: number | null = null;
  for (let attempt = 1; ; attempt += 1) {
    if (signal.aborted) return { ok: false, failure: null };
    const resumed = resumes?.count;
    try {
      return { ok: true, value: await call() };
    } catch (error) {
      if (signal.aborted) return { ok: false, failure: null };
      const failure = failureOf(error);
      awaySince = failure.away ? (awaySince ?? Date.now()) : null;
      const away = awaySince !== null && Date.now() - awaySince < policy.away.forMs;
      if (!away) tried += 1;
      const longest = away ? policy.away.everyMs : policy.maxMs;
      if (failure.kind !== 'transient') {
        const { kind, reason, retryAt } = failure;
        return { ok: false, failure: { kind, reason, ...(retryAt !== undefined && { retryAt }) } };
      }
      if (tried > policy.attempts) return { ok: false, failure: givenUp(failure, attempt) };
      const now = Date.now();
      const asked = failure.retryAt ?? now + backOff(attempt, policy.baseMs, longest);
      // It was held up and let go on since it called: the wait that it is asked for is over, whatever its end.
      const at = resumed === resumes?.count ? Math.max(now, asked) : now;
      const waitMs = at - now;
      if (waitMs > policy.maxMs) return { ok: false, failure: tooLong(failure, at, waitMs) };
      const seconds = Math.round(waitMs / 100) / 10;
      await emit({ type: 'retry', attempt, seconds, at, reason: failure.reason });
      // Who is told may take its time, and what was meant to end the wait may come meanwhile.
      if (resumed === resumes?.count) await waitUntil(at, { signal, resumes });
    }
  }
}

function backOff(attempt: number, baseMs: number, maxMs: number): number {
  const ms = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  return ms * (0.75 + Math.random() * 0.25);
}

function givenUp(failure: Failure, attempts: number): Failure {
  return { kind: 'final', reason: `${failure.reason} (tried ${attempts} times)` };
}

function tooLong(failure: Failure, at: number, waitMs: number): Failure {
  const minutes = Math.ceil(waitMs / 60_000);
  return {
    kind: 'final',
    reason: `${failure.reason} (the provider asks to wait ${minutes} minutes)`,
    retryAt: at,
  };
}
