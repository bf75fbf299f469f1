import { z } from 'zod';
import { CommitHash } from '../git/commit-hash.ts';
import { JobId } from '../ids.ts';

const COMMANDS = 8;
const COMMAND_LENGTH = 2048;
const MESSAGE_TAIL = 2000;

/** How often a gate that failed goes back to the agent, unless told. */
export const GATE_ATTEMPTS = 2;

export const GateName = z.string().regex(/^\w[\w .:-]{0,63}$/, 'expected a short name');

export const GateCommand = z.strictObject({
  /** Its number, unless given. */
  name: GateName.optional(),
  /** A line for a shell, or a program with its arguments. */
  run: z.union([
    z.string().min(1).max(COMMAND_LENGTH),
    z.array(z.string().max(COMMAND_LENGTH)).min(1).max(64),
  ]),
  timeoutSeconds: z.int().min(1).max(3600).optional(),
});
export type GateCommand = z.infer<typeof GateCommand>;

/** Commands that must pass before what an agent calls done is done. */
export const Gates = z.strictObject({
  commands: z.array(GateCommand).min(1).max(COMMANDS),
  /** How often a failure goes back to the agent before a person is waited for. */
  attempts: z.int().min(0).max(20).optional(),
});
export type Gates = z.infer<typeof Gates>;

const ShownCommand = z.string().max(1024);

/** The runner tells which gates hold for this epoch. */
export const RunnerGates = z.strictObject({
  type: z.literal('gates'),
  epoch: z.int().min(1),
  /** `repository`: as `filepath.json` declared them when the workspace was made. */
  from: z.enum(['node', 'repository']),
  commands: z.array(z.strictObject({ name: GateName, command: ShownCommand })).max(COMMANDS),
  attempts: z.int().min(0).max(20),
});
export type RunnerGates = z.infer<typeof RunnerGates>;

/** The agent called its work done: the runner is asked to run the gates. */
export const GateBegun = z.strictObject({
  type: z.literal('gate_begun'),
  job: JobId,
  /** 1 the first time, one more after each failure that went back. */
  attempt: z.int().min(1),
});

export const GateCheck = z.strictObject({
  name: GateName,
  command: ShownCommand,
  outcome: z.enum(['passed', 'failed', 'timeout', 'skipped']),
  /** Null: it ended by a signal, or did not run. */
  exit: z.int().nullable(),
  seconds: z.number().min(0),
  /** The end of what it printed, or why it was skipped. */
  tail: z.string().max(4096),
});
export type GateCheck = z.infer<typeof GateCheck>;

/** What the runner found. A job's result. */
export const GateResult = z.strictObject({
  type: z.literal('gate'),
  job: JobId,
  passed: z.boolean(),
  /** What HEAD named before the commands ran; null where there is no commit. */
  commit: CommitHash.nullable(),
  /** What was tested is that commit, and beside it ignored files only. */
  clean: z.boolean(),
  checks: z.array(GateCheck).max(COMMANDS),
  /** What else kept it from passing. */
  note: z.string().max(512).optional(),
});
export type GateResult = z.infer<typeof GateResult>;

/** Every command with a name and as one line. */
export function namedCommands({ commands }: Gates): { name: string; command: string }[] {
  return commands.map(({ name, run }, index) => ({
    name: name ?? `gate ${index + 1}`,
    command: (typeof run === 'string' ? run : run.join(' ')).slice(0, 1024),
  }));
}

/** What failed, for a row of a tree. */
export function gateReason({ checks, note }: GateResult): string {
  const bad = checks.filter(({ outcome }) => outcome !== 'passed').map(({ name }) => name);
  return `gate failed: ${bad.join(', ') || (note ?? 'no command was run')}`;
}

const TOLD = 'Your work is not done yet: its gates did not pass';

/** What the agent is told of a gate that failed. */
export function gateMessage(result: GateResult, left: number): string {
  const { checks, note, commit, clean } = result;
  const what = commit === null ? 'the workspace' : `commit ${commit.slice(0, 12)}`;
  const times = left === 1 ? 'once more' : `${left} more times`;
  return [
    `${TOLD}. Tested was ${what}${clean || commit === null ? '' : ' with uncommitted changes'}.`,
    ...checks.map((check) => `- ${gateCheckWords(check)}${quotedTail(check)}`),
    ...(note === undefined ? [] : [`- ${note}`]),
    '',
    left === 0
      ? 'Mend it, then say that you are done. If they fail again a person has to look at it.'
      : `Mend it, then say that you are done: they are run again, and may fail ${times}.`,
  ].join('\n');
}

/** Of what the system says to an agent: this asks for work, and is not to be lost. */
export const asksForWork = (content: string): boolean => content.startsWith(TOLD);

export function gateCheckWords({ name, outcome, exit, seconds, command, tail }: GateCheck): string {
  if (outcome === 'skipped') return `${name}: not run: ${tail.slice(0, 200)}`;
  const how =
    outcome === 'timeout'
      ? 'took too long'
      : outcome === 'passed'
        ? 'passed'
        : exit === null
          ? 'was killed'
          : `exit ${exit}`;
  return `${name}: ${how} (${seconds.toFixed(1)} s): ${command}`;
}

/** What a command printed is the repository's word: it is set off as such. */
function quotedTail({ outcome, tail }: GateCheck): string {
  if (outcome === 'passed' || outcome === 'skipped' || tail === '') return '';
  const lines = tail.slice(-MESSAGE_TAIL).trimEnd().split('\n');
  return `\n${lines.map((line) => `  > ${line}`).join('\n')}`;
}
