import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody, StartOrder } from '@filepath/protocol';
import { agentEnvironment } from '../executor/environment.ts';
import { type Availability, type Executor, type Place, Refusal } from '../executor/executor.ts';
import type { Image } from '../executor/executors.ts';
import { markHeadLog } from '../git/head-log.ts';
import { shownRemote } from '../git/remote.ts';
import type { RunDir } from '../home.ts';
import { provideImage } from './image-step.ts';
import type { ObservedFile } from './observed-file.ts';

export type Start = {
  order: StartOrder;
  place: Place;
  run: RunDir;
  executor: Executor;
  image: Image;
  availability: Availability;
  observed: ObservedFile;
  signal: AbortSignal;
  observe(body: RunnerBody): void;
  /** Ends the processes of earlier epochs of this agent: one process has the workspace. */
  endEarlier(): Promise<void>;
  /** The try to start it has ended, whether it led to a process or not. */
  gone(): void;
};

/** From an order to a process that has been tried to start. Every step may be repeated. Throws a Refusal. */
export async function startAgent(start: Start): Promise<void> {
  const { order, place, run, executor, availability, signal, image: wanted } = start;
  if (!availability.available) throw new Refusal(availability.reason ?? 'no sandbox here');
  const { command = null } = order.config;
  if (command === null && wanted === null) {
    throw new Refusal(`this runner cannot run ${order.agentType}: give its config a command`);
  }
  const environment = agentEnvironment(order);
  await start.endEarlier();
  // One that is named may be needed to make the workspace; one that is made comes from it.
  const named = wanted !== null && 'name' in wanted ? await provideImage(start) : null;
  await prepareWorkspace(start, named);
  if (signal.aborted) return;
  const image = named ?? (await provideImage(start));
  if (signal.aborted) return;
  markHeadLog(place.dir, run);
  await executor.start({ place, run, command, image, environment }, () => start.gone());
}

async function prepareWorkspace(start: Start, image: string | null): Promise<void> {
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
  const { note } = await executor.prepare(place, { repository: source, progress, image }, signal);
  // A kill may have come between the clone and this.
  if (fresh || start.observed.last?.type === 'workspace') {
    tell(start, 'ready', note === null ? shown : `${shown}\nas of its last fetch: ${note}`);
  }
}

function tell(start: Start, state: 'cloning' | 'ready', text: string): void {
  const { last } = start.observed;
  const detail = text.slice(0, 2048);
  if (last?.type === 'workspace' && last.state === state && last.detail === detail) return;
  start.observe({ type: 'workspace', epoch: start.order.epoch, state, detail });
}
