import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerBody, SnapshotSource, StartOrder } from '@filepath/protocol';
import { agentEnvironment } from '../executor/environment.ts';
import { type Availability, type Executor, type Place, Refusal } from '../executor/executor.ts';
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
  /** Where the worker is. */
  link: { url: string; token: string };
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
  const { order, place, run, executor, availability, signal } = start;
  if (!availability.available) throw new Refusal(availability.reason ?? 'no sandbox here');
  const { command } = order.config;
  if (command === undefined) {
    throw new Refusal(`this runner cannot run ${order.agentType}: give its config a command`);
  }
  const environment = agentEnvironment(order);
  await start.endEarlier();
  await prepareWorkspace(start);
  if (signal.aborted) return;
  markHeadLog(place.dir, run);
  await executor.start({ place, run, command, environment }, () => start.gone());
}

async function prepareWorkspace(start: Start): Promise<void> {
  const { order, place, executor, signal } = start;
  const source = order.gitRepoUrl;
  const fresh = statSync(join(place.dir, 'workspace'), { throwIfNoEntry: false }) === undefined;
  const shown = source === null ? 'empty folder' : shownRemote(source);
  if (order.snapshot !== undefined) return restore(start, order.snapshot, fresh);
  const { last } = start.observed;
  // A clone that a kill interrupted is told of already.
  if (fresh && source !== null && last?.type !== 'workspace') tell(start, 'cloning', shown);
  const progress = (step: string): void => {
    if (!signal.aborted) tell(start, 'cloning', `${shown}: ${step}`);
  };
  const { note } = await executor.prepare(place, { repository: source, progress }, signal);
  // A kill may have come between the clone and this.
  if (fresh || start.observed.last?.type === 'workspace') {
    tell(start, 'ready', note === null ? shown : `${shown}\nas of its last fetch: ${note}`);
  }
}

async function restore(start: Start, source: SnapshotSource, fresh: boolean): Promise<void> {
  const { order, place, executor, signal, link } = start;
  const snapshot = { thread: order.thread, source, worker: link };
  const progress = (): void => undefined;
  await executor.prepare(place, { repository: null, snapshot, progress }, signal);
  if (fresh) tell(start, 'ready', `restored from the snapshot ${source.id}`);
}

function tell(start: Start, state: 'cloning' | 'ready', text: string): void {
  const { last } = start.observed;
  const detail = text.slice(0, 2048);
  if (last?.type === 'workspace' && last.state === state && last.detail === detail) return;
  start.observe({ type: 'workspace', epoch: start.order.epoch, state, detail });
}
