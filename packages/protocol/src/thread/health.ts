import { z } from 'zod';
import { GateName, Gates } from './gates.ts';

const CHECKS = 8;
const MESSAGE_TAIL = 2000;

export const HealthCheck = z.strictObject({
  name: z.string().min(1).max(64),
  command: z.string().max(1024),
  outcome: z.enum(['passed', 'failed', 'timeout', 'skipped']),
  seconds: z.number().min(0),
  /** The end of what it printed, or why it was skipped. */
  tail: z.string().max(4096),
});
export type HealthCheck = z.infer<typeof HealthCheck>;

/** How the workspace was before the agent was started in it. */
export const RunnerHealth = z.strictObject({
  type: z.literal('health'),
  epoch: z.int().min(1),
  state: z.enum(['checking', 'done']),
  /** Work that an earlier process left without a commit, as one that a ref of its own names. */
  rescued: z
    .strictObject({
      ref: z.string().max(256),
      hash: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
      files: z.int().min(1),
    })
    .optional(),
  checks: z.array(HealthCheck).max(CHECKS),
  /** What could not be done. */
  note: z.string().max(1024).optional(),
  /** The agent is not started because of it. */
  blocked: z.boolean(),
});
export type RunnerHealth = z.infer<typeof RunnerHealth>;

/** `filepath.json`, at the top of a repository. */
export const RepositoryFile = z.strictObject({
  health: z
    .strictObject({
      /** Shell commands by name, run in this order before each start. */
      checks: z
        .record(GateName, z.string().min(1).max(1024))
        .refine((checks) => Object.keys(checks).length <= CHECKS, `at most ${CHECKS} checks`),
      /** A check that fails keeps the agent from starting. */
      blocking: z.boolean().optional(),
      /** For each of them. */
      timeoutSeconds: z.int().min(1).max(600).optional(),
    })
    .optional(),
  /** For agents whose config has none. */
  gates: Gates.optional(),
});
export type RepositoryFile = z.infer<typeof RepositoryFile>;

/** What the agent is told of it; null where there is nothing to tell, or nobody to tell it to. */
export function healthMessage(health: RunnerHealth): string | null {
  const { state, blocked, rescued, note, checks } = health;
  if (state !== 'done' || blocked) return null;
  if (rescued === undefined && note === undefined && checks.length === 0) return null;
  return [
    'The state of the workspace before this start:',
    ...(rescued === undefined ? [] : [`- ${rescuedWords(rescued)}`]),
    ...(note === undefined ? [] : [`- ${note}`]),
    ...checks.map((check) => `- ${checkWords(check)}${quotedTail(check)}`),
  ].join('\n');
}

export function rescuedWords({ ref, hash, files }: NonNullable<RunnerHealth['rescued']>): string {
  const what = `uncommitted work of an earlier process (${files} ${files === 1 ? 'file' : 'files'})`;
  return `${what} is kept as commit ${hash} under ${ref}; the files are in the workspace as they were`;
}

export function checkWords({ name, command, outcome, seconds, tail }: HealthCheck): string {
  if (outcome === 'skipped') return `${name}: not checked: ${tail.slice(0, 200)}`;
  const how = outcome === 'timeout' ? 'took too long' : outcome;
  return `${name}: ${how} (${seconds.toFixed(1)} s): ${command}`;
}

/** What a check printed is the repository's word: it is set off as such. */
function quotedTail({ outcome, tail }: HealthCheck): string {
  if (outcome === 'passed' || outcome === 'skipped' || tail === '') return '';
  const lines = tail.slice(-MESSAGE_TAIL).trimEnd().split('\n');
  return `\n${lines.map((line) => `  > ${line}`).join('\n')}`;
}
