import { join } from 'node:path';
import type { RunnerBody, RunnerHealth } from '@filepath/protocol';
import type { ObservedFile } from '../epoch/observed-file.ts';
import { type Place, Refusal, type RunTask } from '../executor/executor.ts';
import { hasRepository } from '../git/parent-start.ts';
import { runChecks } from './checks.ts';
import { declaredChecks } from './declared.ts';
import { rescue } from './rescue.ts';

export type HealthJob = {
  epoch: number;
  place: Place;
  task: RunTask;
  /** The agent's own. */
  environment: ReadonlyMap<string, string>;
  /** What the agent runs in; null: the programs of this machine. */
  image: string | null;
  /** The workspace was made just now: nobody can have left anything in it. */
  fresh: boolean;
  observed: ObservedFile;
  observe(body: RunnerBody): void;
  /** Resolves when the worker has stored this many observations, or after a while. */
  stored(count: number): Promise<void>;
  redact(text: string): string;
  signal: AbortSignal;
};

/**
 * Looks at the workspace before the agent starts in it: rescues what is not committed, runs the checks that the repository
 * declares, and tells both. Throws a Refusal where a failed check is to keep the agent from starting. Repeatable; nothing
 * is told where there is nothing to tell.
 */
export async function checkHealth(job: HealthJob): Promise<void> {
  const { epoch, place, task, signal } = job;
  if (!hasRepository(place) || told(job.observed, 'done')) return;
  const left = job.fresh ? NOTHING : await rescue(task, place, epoch, signal);
  const declared = declaredChecks(join(place.dir, 'workspace'));
  if (signal.aborted) return;
  const running = declared.checks.filter(({ skip }) => skip === null);
  if (running.length > 0 && !told(job.observed, 'checking')) {
    const note = running.map(({ name }) => name).join(', ');
    job.observe({ type: 'health', epoch, state: 'checking', checks: [], note, blocked: false });
  }
  const environment = new Map(job.environment);
  environment.delete('FILEPATH_API_KEY');
  const checks = await runChecks(
    { ...job, environment, redact: (text) => job.redact(text) },
    declared,
  );
  if (signal.aborted) return;
  const notes = [left.note, declared.note].flatMap((note) => (note === null ? [] : [note]));
  if (left.rescued === null && checks.length === 0 && notes.length === 0) return;
  const failed = checks.find(({ outcome }) => outcome === 'failed' || outcome === 'timeout');
  const blocked = declared.blocking && failed !== undefined;
  job.observe({
    type: 'health',
    epoch,
    state: 'done',
    ...(left.rescued ? { rescued: left.rescued } : {}),
    ...(notes.length === 0 ? {} : { note: job.redact(notes.join('\n')).slice(0, 1000) }),
    checks,
    blocked,
  });
  if (blocked) {
    const how = failed.outcome === 'timeout' ? 'took too long' : 'failed';
    throw new Refusal(
      `the check ${failed.name} ${how}, and filepath.json lets no agent start then (health.blocking): ${failed.tail}`,
    );
  }
  // What the worker tells the agent of it should be there when the agent reads.
  await job.stored(job.observed.count);
}

const NOTHING = { rescued: null, note: null };

const told = (observed: ObservedFile, state: RunnerHealth['state']): boolean =>
  observed.all().some((body) => body?.type === 'health' && body.state === state);
