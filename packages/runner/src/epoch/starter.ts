import { existsSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AgentEntry,
  RunnerBody,
  SnapshotSource,
  StartOrder,
  ThreadId,
} from '@filepath/protocol';
import { wordsOf } from '../catalog/entry-environment.ts';
import { writeEntryFiles } from '../catalog/entry-files.ts';
import { AGENT_COMMAND, type ProvidedFiles } from '../catalog/provided.ts';
import type { FreeSpace } from '../disk/free-space.ts';
import type { DiskQuota } from '../disk/quota.ts';
import { agentEnvironment } from '../executor/environment.ts';
import {
  type Availability,
  type Executor,
  type Place,
  type Prepared,
  Refusal,
} from '../executor/executor.ts';
import type { Image } from '../executor/executors.ts';
import { checkHealth } from '../health/health.ts';
import { tellGates } from '../gates/tell-gates.ts';
import { markHeadLog } from '../git/head-log.ts';
import { shownRemote } from '../git/remote.ts';
import type { RunDir } from '../home.ts';
import { bringFiles, filesOf } from '../inbox/bring-files.ts';
import type { EpochGateway } from './epoch-gateway.ts';
import { provideImage } from './image-step.ts';
import type { ObservedFile } from './observed-file.ts';

export type Start = {
  order: StartOrder;
  /** Null: nobody here knows the type. */
  entry: AgentEntry | null;
  provided: ProvidedFiles;
  place: Place;
  run: RunDir;
  executor: Executor;
  image: Image;
  availability: Availability;
  disk: FreeSpace;
  quota: DiskQuota;
  /** Where the worker is. */
  link: { url: string; token: string };
  observed: ObservedFile;
  gateway: EpochGateway;
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
  const { order, place, run, executor, availability, signal, image: wanted } = start;
  if (!availability.available) throw new Refusal(availability.reason ?? 'no sandbox here');
  const { low } = start.disk;
  if (low !== null) throw new Refusal(`${low}. Free some, then send the message again`);
  const entry = knownEntry(start);
  const command = commandOf(start, entry);
  const environment = agentEnvironment(order, entry);
  await start.endEarlier();
  await start.quota.admit(place);
  // One that is named may be needed to make the workspace; one that is made comes from it.
  const named = wanted !== null && 'name' in wanted ? await provideImage(start) : null;
  const fresh = await prepareWorkspace(start, named);
  if (signal.aborted) return;
  await tellGates(start, fresh);
  const image = named ?? (await provideImage(start));
  if (signal.aborted) return;
  if (image !== null) writeFileSync(run.image, image, { mode: 0o600 });
  await checkHealth({
    epoch: order.epoch,
    place,
    environment,
    image,
    fresh,
    signal,
    observed: start.observed,
    task: (task) => executor.task(task),
    observe: (body) => start.observe(body),
    stored: (count) => start.stored(count),
    redact: (text) => start.redact(text),
  });
  if (signal.aborted) return;
  writeEntryFiles(entry, place, wordsOf(order));
  const inbox = { thread: order.thread, place, worker: start.link };
  await bringFiles(inbox, order.inputs.flatMap(filesOf), signal);
  if (signal.aborted) return;
  markHeadLog(place.dir, run);
  const gateway = await start.gateway.open();
  // An image of the user's own is what its maker put into it.
  const provided = entry.driver.kind === 'custom' && image !== null ? [] : start.provided.all();
  const job = { place, run, command, image, environment, provided, gateway };
  await executor.start(job, () => start.gone());
}

function knownEntry({ order, entry }: Start): AgentEntry {
  if (entry !== null) return entry;
  const hint = `put catalog/${order.agentType}.json into the home of filepath, and start it again`;
  throw new Refusal(`this runner does not know the agent type ${order.agentType}: ${hint}`);
}

/** Null: what the image says. */
function commandOf(
  { order, place, provided, image }: Start,
  { driver }: AgentEntry,
): readonly string[] | null {
  if (driver.kind === 'custom') {
    const command = order.config.command ?? driver.command ?? null;
    if (command !== null || image !== null) return command;
    throw new Refusal('a custom agent needs a command: give its config one');
  }
  const missing = provided.missing(place.uid !== null);
  if (missing !== null) throw new Refusal(missing);
  return AGENT_COMMAND;
}

/** Whether the workspace is made by this epoch. Noted before, since a kill may come between the making and the telling. */
function isFresh({ place, run }: Start): boolean {
  if (existsSync(run.fresh)) return true;
  if (lstatSync(join(place.dir, 'workspace'), { throwIfNoEntry: false })) return false;
  writeFileSync(run.fresh, '', { mode: 0o600 });
  return true;
}

const toldReady = ({ observed }: Start): boolean =>
  observed.all().some((body) => body?.type === 'workspace' && body.state === 'ready');

/** Says whether there was none before. */
async function prepareWorkspace(start: Start, image: string | null): Promise<boolean> {
  const { order, place, executor, signal } = start;
  const source = order.gitRepoUrl;
  const fresh = isFresh(start);
  const shown = source === null ? 'empty folder' : shownRemote(source);
  if (order.snapshot !== undefined) return restore(start, order.snapshot, fresh, image);
  const { last } = start.observed;
  // A clone that a kill interrupted is told of already.
  const begins = fresh && !toldReady(start) && last?.type !== 'workspace';
  if (begins && source !== null) tell(start, 'cloning', shown);
  const progress = (step: string): void => {
    if (!signal.aborted) tell(start, 'cloning', `${shown}: ${step}`);
  };
  const parent = order.parent === undefined ? null : start.placeOf(order.parent.thread);
  const from = { repository: source, parent, progress, image };
  const prepared = await executor.prepare(place, from, signal);
  if (fresh && !toldReady(start)) {
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

async function restore(
  start: Start,
  source: SnapshotSource,
  fresh: boolean,
  image: string | null,
): Promise<boolean> {
  const { order, place, executor, signal, link } = start;
  const snapshot = { thread: order.thread, source, worker: link };
  const progress = (): void => undefined;
  const from = { repository: null, parent: null, snapshot, progress, image };
  await executor.prepare(place, from, signal);
  if (fresh && !toldReady(start)) tell(start, 'ready', `restored from the snapshot ${source.id}`);
  return fresh;
}

function tell(start: Start, state: 'cloning' | 'ready', text: string): void {
  const { last } = start.observed;
  const detail = text.slice(0, 2048);
  if (last?.type === 'workspace' && last.state === state && last.detail === detail) return;
  start.observe({ type: 'workspace', epoch: start.order.epoch, state, detail });
}
