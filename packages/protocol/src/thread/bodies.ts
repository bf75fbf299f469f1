import { z } from 'zod';
import { AgentState } from '../fap/events.ts';
import { TOUCHED_FILES } from '../git/changes.ts';
import { CommitHash } from '../git/commit-hash.ts';
import { ThreadId } from '../ids.ts';
import { GateBegun, RunnerGates } from './gates.ts';
import { SystemHandoff, SystemHandoffLimit } from './handoff.ts';
import { SystemMemories } from '../memory/given.ts';
import { RunnerHealth } from './health.ts';
import { JobResult } from './job-results.ts';
import { SystemLimit } from './limit.ts';
import { SystemQueueStands } from './queue.ts';

/** What the runner observed. Bodies of events with source `runner`. */
export const RunnerStarted = z.strictObject({
  type: z.literal('started'),
  epoch: z.int().min(1),
  executor: z.enum(['sandbox', 'container', 'unsandboxed']),
});

export const ExitReason = z.enum(['exited', 'stopped', 'handoff', 'lost', 'limit']);
export type ExitReason = z.infer<typeof ExitReason>;

export const RunnerExit = z.strictObject({
  type: z.literal('exit'),
  epoch: z.int().min(1),
  code: z.int().nullable(),
  signal: z.string().max(32).nullable(),
  reason: ExitReason,
  detail: z.string().max(2048).optional(),
  /** The end of what the agent wrote to stderr. */
  stderr: z.string().max(16384).optional(),
});
export type RunnerExit = z.infer<typeof RunnerExit>;

/** The agent could not be started; nothing ran. */
export const RunnerRefused = z.strictObject({
  type: z.literal('refused'),
  epoch: z.int().min(1),
  reason: z.string().max(4096),
});

export const RunnerWorkspace = z.strictObject({
  type: z.literal('workspace'),
  epoch: z.int().min(1),
  state: z.enum(['cloning', 'ready']),
  detail: z.string().max(2048),
});

/** The image that the agent runs in is being fetched or made. */
export const RunnerImage = z.strictObject({
  type: z.literal('image'),
  epoch: z.int().min(1),
  state: z.enum(['pulling', 'building', 'ready']),
  detail: z.string().max(2048),
});

/** HEAD of the workspace moved to a commit that was just made, whichever program made it. */
export const RunnerHead = z.strictObject({
  type: z.literal('head'),
  epoch: z.int().min(1),
  /** Zeros: there was no commit before. */
  from: CommitHash,
  to: CommitHash,
  /** The branch that HEAD named when this was seen. */
  ref: z.string().max(256).optional(),
  /** The commit's subject, as the log of HEAD has it. */
  message: z.string().max(1024),
});

/** The runner holds the agent still, for a reason of its machine. */
export const RunnerHeld = z.strictObject({
  type: z.literal('held'),
  epoch: z.int().min(1),
  reason: z.string().max(2048),
});

/** The agent goes on that was held. */
export const RunnerReleased = z.strictObject({
  type: z.literal('released'),
  epoch: z.int().min(1),
});

/** Nothing was heard of the agent for this long, and it did next to nothing. Told again when the time has doubled. */
export const RunnerSilent = z.strictObject({
  type: z.literal('silent'),
  epoch: z.int().min(1),
  seconds: z.int().min(1),
});

/** The agent asked for a host that its network policy does not allow. Told once for each host of an epoch. */
export const RunnerDenied = z.strictObject({
  type: z.literal('denied'),
  epoch: z.int().min(1),
  /** Null: further hosts, which are not named. */
  host: z.string().min(1).max(255).nullable(),
  port: z.int().min(0).max(65535).nullable(),
  reason: z.string().max(512),
  /** What a person can change. */
  hint: z.string().max(1024),
});
export type RunnerDenied = z.infer<typeof RunnerDenied>;

export const RunnerBody = z.discriminatedUnion('type', [
  RunnerStarted,
  RunnerExit,
  RunnerRefused,
  RunnerWorkspace,
  RunnerImage,
  RunnerHead,
  RunnerHeld,
  RunnerReleased,
  RunnerSilent,
  RunnerDenied,
  RunnerHealth,
  RunnerGates,
]);
export type RunnerBody = z.infer<typeof RunnerBody>;

/** What the control plane did. Bodies of events with source `system`, beside messages. */
export const SystemSpawned = z.strictObject({
  type: z.literal('spawned'),
  /** The seq of the `spawn` event in this thread; absent where the agent asked by a tool. */
  spawn: z.int().min(1).optional(),
  node: ThreadId,
  name: z.string(),
  /** What a `spawn` event would say, where there is none. */
  agent: z.string().optional(),
  model: z.string().optional(),
  task: z.string().optional(),
});

export const SystemSpawnFailed = z.strictObject({
  type: z.literal('spawn_failed'),
  spawn: z.int().min(1),
  name: z.string(),
  reason: z.string(),
});

/** A rule of the person has answered a question. */
export const SystemDecision = z.strictObject({
  type: z.literal('decision'),
  id: z.string(),
  choice: z.string(),
  hash: z.string().optional(),
  rule: z.string(),
});

/** The direct children of this thread's agent, as they are now. */
export const SystemWorkers = z.strictObject({
  type: z.literal('workers'),
  workers: z.array(
    z.strictObject({
      id: ThreadId,
      name: z.string(),
      status: AgentState,
      reason: z.string().optional(),
    }),
  ),
});
export type SystemWorkers = z.infer<typeof SystemWorkers>;

/** What became of an agent's wish for a child. */
export const SpawnOutcome = z.discriminatedUnion('type', [SystemSpawned, SystemSpawnFailed]);

/** Another agent has changed the same lines. */
export const SystemOverlap = z.strictObject({
  type: z.literal('overlap'),
  node: ThreadId,
  name: z.string(),
  files: z.array(z.string().max(4096)).min(1).max(TOUCHED_FILES),
});
export type SystemOverlap = z.infer<typeof SystemOverlap>;

export const SystemBody = z.discriminatedUnion('type', [
  ...SpawnOutcome.options,
  SystemWorkers,
  SystemOverlap,
  ...JobResult.options,
  GateBegun,
  SystemDecision,
  SystemHandoff,
  SystemHandoffLimit,
  SystemLimit,
  SystemMemories,
  SystemQueueStands,
]);
export type SystemBody = z.infer<typeof SystemBody>;

/** Stands for a body that is too large for a row; the bytes are in the blob store under thread and hash. */
export const BlobRef = z.looseObject({
  type: z.string(),
  ref: z.string().regex(/^r2:\/\/blobs\/th_[0-9A-Za-z]{22}\/[0-9a-f]{64}#sha256=[0-9a-f]{64}$/),
  bytes: z.int().min(0),
});
export type BlobRef = z.infer<typeof BlobRef>;

/** The name under which a thread's blob is kept. */
export function blobKey(thread: ThreadId, sha256: string): string {
  return `${thread}/${sha256}`;
}

export function blobRef(type: string, thread: ThreadId, sha256: string, bytes: number): BlobRef {
  return { type, ref: `r2://blobs/${blobKey(thread, sha256)}#sha256=${sha256}`, bytes };
}
