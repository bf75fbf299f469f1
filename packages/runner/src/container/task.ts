import { type Task, type TaskResult, Refusal } from '../executor/executor.ts';
import type { Engine } from './engine.ts';
import { type Bind, type Cage, cageBody } from './hardening.ts';
import { runContainerOnce } from './once.ts';

export type TaskCage = Omit<Cage, 'command' | 'environment' | 'binds'>;

/** Runs a command with the tools of an image, in a container of its own. */
export function taskInContainer(
  engine: Engine,
  cage: TaskCage,
  binds: readonly Bind[],
  task: Task,
): Promise<TaskResult> {
  if (task.stdin !== undefined || task.stdout !== undefined) {
    throw new Refusal('what this needs is done by bubblewrap, which is not here');
  }
  const body = cageBody({
    ...cage,
    command: task.command,
    environment: task.environment,
    binds: task.readOnly === true ? binds.map((one) => ({ ...one, writable: false })) : binds,
  });
  return runContainerOnce({ engine, body, timeoutMs: task.timeoutMs, signal: task.signal });
}
