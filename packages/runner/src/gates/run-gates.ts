import {
  type GateCheck,
  type GateCommand,
  type GateResult,
  type Gates,
  namedCommands,
} from '@filepath/protocol';
import { ENVIRONMENT_DEFAULTS } from '../executor/environment.ts';
import type { Place, RunTask, TaskResult } from '../executor/executor.ts';
import { Refusal } from '../executor/executor.ts';
import { snapshotEnvironment } from '../git/snapshot.ts';

const TIMEOUT_SECONDS = 600;
/** For all of them together. */
const TOTAL_MS = 60 * 60_000;
const LOOK_MS = 60_000;
const TAIL = 3500;

const HOME = '/home/agent';
/** What the agent installed for itself comes last: it stands in for no program of the machine. */
const PATH = `/usr/local/bin:/usr/bin:/bin:/opt/filepath/tools/bin:${HOME}/.local/bin`;

export type GateRun = {
  place: Place;
  task: RunTask;
  /** What the agent runs in. */
  image: string | null;
  envVars: Readonly<Record<string, string>>;
  redact(text: string): string;
  signal: AbortSignal;
};

export type GateFindings = Omit<GateResult, 'type' | 'job'>;

/**
 * Runs the commands one after the other, each in a sandbox or container of its own like the agent's, without a network
 * and without the agent's key. Throws a Refusal where they cannot be run.
 */
export async function runGates(run: GateRun, gates: Gates | null): Promise<GateFindings> {
  const commands = gates === null ? [] : zip(gates);
  const before = await look(run);
  const end = Date.now() + TOTAL_MS;
  const checks: GateCheck[] = [];
  for (const one of commands) {
    run.signal.throwIfAborted();
    checks.push(await check(run, one, end - Date.now()));
  }
  run.signal.throwIfAborted();
  const after = await look(run);
  const moved = after.commit !== before.commit;
  const passed = !moved && checks.every(({ outcome }) => outcome === 'passed');
  const note = 'HEAD of the workspace moved while they ran';
  return { passed, ...before, checks, ...(moved ? { note } : {}) };
}

type Named = GateCommand & { shown: { name: string; command: string } };

const zip = (gates: Gates): Named[] => {
  const shown = namedCommands(gates);
  return gates.commands.flatMap((command, index) => {
    const words = shown[index];
    return words === undefined ? [] : [{ ...command, shown: words }];
  });
};

async function check(run: GateRun, command: Named, leftMs: number): Promise<GateCheck> {
  const { name } = command.shown;
  const head = { name, command: run.redact(command.shown.command).slice(0, 1024) };
  if (leftMs <= 0) {
    return {
      ...head,
      outcome: 'skipped',
      exit: null,
      seconds: 0,
      tail: 'the others took too long',
    };
  }
  const { place, image, signal } = run;
  const timeoutMs = Math.min((command.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000, leftMs);
  const line = typeof command.run === 'string' ? ['/bin/sh', '-c', command.run] : command.run;
  const began = performance.now();
  const environment = environmentOf(run);
  const result = await run.task({ place, environment, image, command: line, timeoutMs, signal });
  const seconds = Math.round(performance.now() - began) / 1000;
  const outcome = result.timedOut ? 'timeout' : result.status === 0 ? 'passed' : 'failed';
  // Cut after secrets are taken out, so that none is cut in two.
  const tail = run.redact(result.output).trim().slice(-TAIL);
  return { ...head, outcome, exit: result.timedOut ? null : result.status, seconds, tail };
}

function environmentOf({ envVars, image }: GateRun): Map<string, string> {
  return new Map([
    ...Object.entries(ENVIRONMENT_DEFAULTS),
    // An image has programs of its own, by its own path.
    ...(image === null ? [['PATH', PATH] as const] : []),
    ['CI', '1'],
    ...Object.entries(envVars),
    ['HOME', HOME],
  ]);
}

const LOOK = `
cd /workspace || exit
[ -e .git ] || { echo 'filepath-gate none clean'; exit 0; }
head=$(git rev-parse --quiet --verify 'HEAD^{commit}') || head=none
git status --porcelain --untracked-files=normal --no-renames > /tmp/changes || exit
[ -s /tmp/changes ] && state=dirty || state=clean
echo "filepath-gate $head $state"
`;

const TOLD = /^filepath-gate ([0-9a-f]{40}|[0-9a-f]{64}|none) (clean|dirty)$/gm;

/** What HEAD names, and whether there is more than that. All of it is said inside the agent's sandbox. */
async function look({ place, task, signal }: GateRun): Promise<{
  commit: string | null;
  clean: boolean;
}> {
  const result: TaskResult = await task({
    place,
    environment: snapshotEnvironment(false),
    command: ['/bin/sh', '-c', LOOK],
    timeoutMs: LOOK_MS,
    signal,
  });
  const [, head, state] = [...result.output.matchAll(TOLD)].at(-1) ?? [];
  if (result.status !== 0 || head === undefined) {
    signal.throwIfAborted();
    throw new Refusal(`git cannot read the workspace: ${result.output.trim().slice(-500)}`);
  }
  const commit = head === 'none' ? null : head;
  return { commit, clean: state === 'clean' };
}
