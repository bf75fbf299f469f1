import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type JobOrder,
  type JobResult,
  type JobWork,
  snapshotOfJob,
  type ThreadId,
} from '@filepath/protocol';
import type { Agent } from '../agents.ts';
import type { FreeSpace } from '../disk/free-space.ts';
import { recordedMirror } from '../executor/borrowed-mirror.ts';
import { type Availability, type Place, Refusal } from '../executor/executor.ts';
import type { Executors } from '../executor/executors.ts';
import { gateJob } from '../gates/gate-job.ts';
import { bringBack, isThere } from '../git/bring.ts';
import { branchTip } from '../git/loose.ts';
import { merge } from '../git/merge.ts';
import type { Mirrors } from '../git/mirrors.ts';
import { push } from '../git/push.ts';
import type { Mailbox } from '../mailbox.ts';
import { exportWorkspace } from '../snapshot/export.ts';
import { upload, type Worker } from '../snapshot/transfer.ts';
import type { WorkspaceTools } from './workspace-command.ts';

/** Nobody waits for what nobody asked for. */
const UNASKED_MS = 60_000;

export type WorkContext = WorkspaceTools & {
  mirrors: Mirrors;
  availability: Availability;
  executors: Executors;
  disk: Pick<FreeSpace, 'low'>;
  worker: Worker;
  snapshotBytes: number;
  /** The home of another agent on this machine, or null. */
  placeOf(thread: ThreadId): Place | null;
  /** One merge into a branch at a time. */
  targets: Mailbox;
};

/** Does what a job asks for. Throws a Refusal. */
export async function carryOut(
  context: WorkContext,
  agent: Agent,
  order: JobOrder,
  signal: AbortSignal,
): Promise<JobResult> {
  const { availability, disk } = context;
  const { place } = agent;
  const work = order.do;
  // A gate runs in what the agent runs in, which may be a container.
  if (work.type !== 'gate' && !availability.available) {
    throw new Refusal(availability.reason ?? 'no sandbox here');
  }
  if (disk.low !== null) throw new Refusal(`${disk.low}. Free some, then ask again`);
  if (!existsSync(join(place.dir, 'workspace'))) {
    throw new Refusal('the agent has no workspace yet: send it a message first');
  }
  switch (work.type) {
    case 'push': {
      const { remote, branch, commit } = await push({ ...context, place, work, signal });
      return { type: 'pushed', job: order.id, remote, branch, commit };
    }
    case 'merge':
      return mergeWork(context, place, { ...order, do: work }, signal);
    case 'snapshot':
      return snapshot(context, place, order, signal);
    case 'gate':
      return gateJob(context.executors, agent, order, work, signal);
  }
}

async function mergeWork(
  context: WorkContext,
  place: Place,
  { id, thread, do: work }: JobOrder & { do: Extract<JobWork, { type: 'merge' }> },
  signal: AbortSignal,
): Promise<JobResult> {
  const { name, target, hand } = work;
  const shown = target.into === 'parent' ? target.name : target.branch;
  const outcome = await merge({ ...context, place, work, signal });
  const parent = target.into === 'parent' ? { parent: target.thread } : {};
  const about = { job: id, node: thread, name, into: target.into, target: shown, ...parent };
  return outcome.type === 'merged' ? { ...outcome, ...about } : { ...outcome, ...about, hand };
}

async function snapshot(
  context: WorkContext,
  place: Place,
  { id, thread }: JobOrder,
  signal: AbortSignal,
): Promise<JobResult> {
  const folder = join(place.dir, 'jobs', 'snapshot');
  try {
    const most = context.snapshotBytes;
    const made = await exportWorkspace({ ...context, place, most, folder, signal });
    const name = snapshotOfJob(id);
    await upload(context.worker, { thread, snapshot: name }, made, signal);
    const { sha256, size, manifest } = made;
    return { type: 'snapshot', job: id, snapshot: name, sha256, size, manifest };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Brings commits of an agent's branch that its mirror does not have. */
export async function bringNew(
  context: WorkContext,
  { place }: Agent,
  signal: AbortSignal,
): Promise<boolean> {
  const { mirrors, availability, disk, env } = context;
  const id = recordedMirror(place);
  if (id === null || !availability.available || disk.low !== null) return false;
  const mirror = mirrors.path(id);
  const tip = branchTip(join(place.dir, 'workspace'), place.slug);
  if (tip !== null && (await isThere({ env, mirror, signal }, tip))) return false;
  const exclusively = <T>(task: () => Promise<T>): Promise<T> => mirrors.exclusively(id, task);
  const bring = { ...context, place, mirror, signal, exclusively, timeoutMs: UNASKED_MS };
  await bringBack(bring);
  return true;
}
