import { setTimeout as delay } from 'node:timers/promises';
import { type GateResult, type JobOrder, type JobWork, redactorOf } from '@filepath/protocol';
import type { Agent } from '../agents.ts';
import { epochsIn } from '../damaged-home.ts';
import type { Standstill } from '../epoch/pauser.ts';
import { type Executor, Refusal } from '../executor/executor.ts';
import type { Executors } from '../executor/executors.ts';
import { readText } from '../files.ts';
import { RunDir } from '../home.ts';
import { declaredGates } from './gates-file.ts';
import { runGates } from './run-gates.ts';
import { unknownGates } from './unknown-gates.ts';

const AGAIN_MS = 50;
const NOBODY: Standstill = { kept: () => true, end: async () => undefined };

/** Tests the work of an agent, in what its last process ran in. */
export async function gateJob(
  executors: Executors,
  agent: Agent,
  { id }: JobOrder,
  work: Extract<JobWork, { type: 'gate' }>,
  signal: AbortSignal,
): Promise<GateResult> {
  const { place } = agent;
  const last = epochsIn(place.dir).at(-1);
  if (last === undefined) throw new Refusal('the agent was never started: send it a message first');
  const run = new RunDir(place.dir, last);
  const executor = executors.of(run);
  const { envVars = {}, gates } = work;
  const declared = gates === undefined ? declaredGates(place) : { gates, problem: null };
  // An agent that works on would have other work tested than it leaves.
  const standstill = await standStill(executor, agent, run, work.inputs ?? Infinity, signal);
  try {
    const findings = await runGates(
      {
        place,
        task: (task) => executor.task(task),
        image: readText(run.image)?.trim() || null,
        envVars,
        redact: redactorOf(Object.values(envVars)),
        still: () => standstill.kept(),
        signal,
      },
      declared.gates,
    );
    if (declared.problem === null) return { type: 'gate', job: id, ...findings };
    const checks = [unknownGates(declared.problem)];
    return { type: 'gate', job: id, ...findings, passed: false, checks };
  } finally {
    await standstill.end();
  }
}

/** Holds the agent's process still, if it has one. A runner that has just begun takes its agents up one after the other. */
async function standStill(
  executor: Executor,
  { epochs }: Agent,
  run: RunDir,
  inputs: number,
  signal: AbortSignal,
): Promise<Standstill> {
  while (executor.state(run).at === 'alive') {
    const held = epochs.get(run.epoch);
    if (held !== undefined) return held.standStill(inputs);
    await delay(AGAIN_MS, undefined, { signal });
  }
  return NOBODY;
}
