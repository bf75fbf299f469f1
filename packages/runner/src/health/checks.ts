import type { HealthCheck } from '@filepath/protocol';
import type { Place, RunTask } from '../executor/executor.ts';
import type { Declared, DeclaredCheck } from './declared.ts';
import { notRun } from './not-run.ts';

/** For all of them together. */
const TOTAL_MS = 10 * 60_000;
const TAIL = 3500;
const NOT_FOUND = 127;

export type Checking = {
  task: RunTask;
  place: Place;
  environment: ReadonlyMap<string, string>;
  /** What the agent runs in. */
  image: string | null;
  redact(text: string): string;
  signal: AbortSignal;
};

/** Runs what is declared, one after the other, each in a sandbox or container of its own like the agent's. */
export async function runChecks(job: Checking, declared: Declared): Promise<HealthCheck[]> {
  const done: HealthCheck[] = [];
  const end = Date.now() + TOTAL_MS;
  for (const check of declared.checks) {
    const left = Math.min(declared.timeoutMs, end - Date.now());
    if (job.signal.aborted) break;
    done.push(left > 0 ? await run(job, check, left) : skipped(check, 'the others took too long'));
  }
  return done.map((check) => ({ ...check, command: job.redact(check.command) }));
}

async function run(job: Checking, check: DeclaredCheck, timeoutMs: number): Promise<HealthCheck> {
  if (check.skip !== null) return skipped(check, check.skip);
  const { task, place, environment, image, signal } = job;
  const began = performance.now();
  const command = ['/bin/sh', '-c', check.command];
  const asked = { place, environment, image, command, timeoutMs, signal };
  const result = await task(asked).catch(notRun);
  const seconds = Math.round(performance.now() - began) / 1000;
  const { name } = check;
  // Cut after secrets are taken out, so that none is cut in two.
  const tail = job.redact(result.output).trim().slice(-TAIL);
  if (check.chosen && result.status === NOT_FOUND) {
    return skipped(check, `its program is not here: ${tail.slice(-150)}`);
  }
  const outcome = result.timedOut ? 'timeout' : result.status === 0 ? 'passed' : 'failed';
  return { name, command: check.command, outcome, seconds, tail: outcome === 'passed' ? '' : tail };
}

function skipped({ name, command }: DeclaredCheck, why: string): HealthCheck {
  return { name, command, outcome: 'skipped', seconds: 0, tail: why };
}
