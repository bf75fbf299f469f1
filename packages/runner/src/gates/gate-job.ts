import { type GateResult, type JobOrder, type JobWork, redactorOf } from '@filepath/protocol';
import { epochsIn } from '../damaged-home.ts';
import { type Place, Refusal } from '../executor/executor.ts';
import type { Executors } from '../executor/executors.ts';
import { readText } from '../files.ts';
import { RunDir } from '../home.ts';
import { declaredGates } from './gates-file.ts';
import { runGates } from './run-gates.ts';

/** Tests the work of an agent, in what its last process ran in. */
export async function gateJob(
  executors: Executors,
  place: Place,
  { id }: JobOrder,
  work: Extract<JobWork, { type: 'gate' }>,
  signal: AbortSignal,
): Promise<GateResult> {
  const last = epochsIn(place.dir).at(-1);
  if (last === undefined) throw new Refusal('the agent was never started: send it a message first');
  const run = new RunDir(place.dir, last);
  const executor = executors.of(run);
  const { envVars = {} } = work;
  const findings = await runGates(
    {
      place,
      task: (task) => executor.task(task),
      image: readText(run.image)?.trim() || null,
      envVars,
      redact: redactorOf(Object.values(envVars)),
      signal,
    },
    work.gates ?? declaredGates(place),
  );
  return { type: 'gate', job: id, ...findings };
}
