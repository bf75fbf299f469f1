import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody, StartOrder, ThreadId } from '@filepath/protocol';
import { agentEnvironment } from '../executor/environment.ts';
import {
  type Availability,
  type Executor,
  type Place,
  type Prepared,
  Refusal,
} from '../executor/executor.ts';
import { checkHealth } from '../health/health.ts';
import { markHeadLog } from '../git/head-log.ts';
import { shownRemote } from '../git/remote.ts';
import type { RunDir } from '../home.ts';
import type { ObservedFile } from './observed-file.ts';

export type Start = {
  order: StartOrder;
  place: Place;
  run: RunDir;
  executor: Executor;
  availability: Availability;
  observed: ObservedFile;
  signal: AbortSignal;
  observe(body: RunnerBody): void;
  /** Resolves when the worker has stored this many observations, or after a while. */
  stored(count: number): Promise<void>;
  redact(text: string): string;
  /** Ends the processes of earlier epochs of this agent: one process has the workspace. */
  endEarlier(): Promise<void>;
  /** Where another agent lives, if its home is here. */
  placeOf(thread: ThreadId): Place | null;
  /** The try to start it has ended, whether it led to a process or not. */
  gone(): void;
};

/** From an order to a process that has been tried to start. Every step may be repeated. Throws a Refusal. */
export async function startAgent(start: Start): Promise<void> {
  const { order, place, run, executor, availability, signal } = start;
  if (!availability.available) throw new Refusal(availability.reason ?? 'no sandbox here');
  const { command } = order.config;
  if (command === undefined) {
    throw new Refusal(`this runner cannot run ${order.agentType}: give its config a command`);
  }
  const environment = agentEnvironment(order);
  await start.endEarlier();
  const fresh = await prepareWorkspace(start);
  if (signal.aborted) return;
  await checkHealth({
    epoch: order.epoch,
    place,
    environment,
    fresh,
    signal,
    observed: start.observed,
    task: (task) => executor.task(task),
    observe: (body) => start.observe(body),
    stored: (count) => start.stored(count),
    redact: (text) => start.redact(text),
  });
  if (signal.aborted) return;
  markHeadLog(place.dir, run);
  await executor.start({ place, run, command, environment }, () => start.gone());
}

/** Says whether there was none before. */
async function prepareWorkspace(start: Start): Promise<boolean> {
  const { order, place, executor, signal } = start;
  const source = order.gitRepoUrl;
  const fresh = statSync(join(place.dir, 'workspace'), { throwIfNoEntry: false }) === undefined;
  const shown = source === null ? 'empty folder' : shownRemote(source);
  const { last } = start.observed;
  // A clone that a kill interrupted is told of already.
  if (fresh && source !== null && last?.type !== 'workspace') tell(start, 'cloning', shown);
  const progress = (step: string): void => {
    if (!signal.aborted) tell(start, 'cloning', `${shown}: ${step}`);
  };
  const parent = order.parent === undefined ? null : start.placeOf(order.parent.thread);
  const from = { repository: source, parent, progress };
  const prepared = await executor.prepare(place, from, signal);
  // A kill may have come between the clone and this.
  if (fresh || start.observed.last?.type === 'workspace') {
    const where = source === null && prepared.start !== null ? [] : [shown];
    tell(start, 'ready', start.redact([...where, ...notesOn(prepared, start)].join('\n')));
  }
  return fresh;
}

function notesOn({ note, start }: Prepared, { order, ...of }: Start): string[] {
  const { parent, gitRepoUrl } = order;
  const gone = parent !== undefined && gitRepoUrl !== null && of.placeOf(parent.thread) === null;
  return [
    ...(note === null ? [] : [`as of its last fetch: ${note}`]),
    ...(start === null ? [] : [start]),
    ...(gone ? [`not from its parent ${parent.slug}: its home is not here`] : []),
  ];
}

function tell(start: Start, state: 'cloning' | 'ready', text: string): void {
  const { last } = start.observed;
  const detail = text.slice(0, 2048);
  if (last?.type === 'workspace' && last.state === state && last.detail === detail) return;
  start.observe({ type: 'workspace', epoch: start.order.epoch, state, detail });
}
