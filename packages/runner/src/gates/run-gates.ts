import {
  type GateCheck,
  type GateCommand,
  type GateResult,
  type Gates,
  namedCommands,
} from '@filepath/protocol';
import { ENVIRONMENT_DEFAULTS } from '../executor/environment.ts';
import type { Place, RunTask } from '../executor/executor.ts';
import { look, type Seen } from './look.ts';

const TIMEOUT_SECONDS = 600;
/** For all of them together. */
const TOTAL_MS = 60 * 60_000;
const TAIL = 3500;
const MOVED = 'HEAD of the workspace moved while they ran';

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
  /** Whether nothing of the agent has run since the gate began. */
  still(): boolean;
  signal: AbortSignal;
};

export type GateFindings = Omit<GateResult, 'type' | 'job'>;

/**
 * Runs the commands one after the other, each in a sandbox or container of its own like the agent's, without a network
 * and without the agent's key. Throws a Refusal where they cannot be run.
 */
export async function runGates(run: GateRun, gates: Gates | null): Promise<GateFindings> {
  const commands = gates === null ? [] : zip(gates);
  const seen = (): Promise<Seen> => look(run.task, run.place, run.signal);
  const before = await seen();
  const end = Date.now() + TOTAL_MS;
  const checks: GateCheck[] = [];
  for (const one of commands) {
    run.signal.throwIfAborted();
    checks.push(await check(run, one, end - Date.now()));
  }
  run.signal.throwIfAborted();
  const after = await seen();
  const { commit } = before;
  const moved = after.commit !== commit;
  const passed = !moved && checks.every(({ outcome }) => outcome === 'passed');
  // What the commands themselves have made beside the commit was not there before them.
  const clean = run.still() && !before.changed && !before.added && !after.changed;
  return { passed, commit, clean, checks, ...(moved ? { note: MOVED } : {}) };
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
