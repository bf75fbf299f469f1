import type { Executor as ExecutorInfo, Limits } from '@filepath/protocol';
import type { AgentGateway } from '../egress/gateway.ts';
import type { NetworkPlace } from '../egress/namespace.ts';
import type { RunDir } from '../home.ts';
import type { Restore } from '../snapshot/restore.ts';

/** Where an agent lives on this machine. */
export type Place = {
  slug: string;
  /** `agents/{slug}`, with `workspace` and `home` in it. */
  dir: string;
  /** The user the agent runs as, where the runner may choose. */
  uid: number | null;
};

export type WorkspaceSource = {
  /** Null: an empty folder. */
  repository: string | null;
  /** Whose work the workspace goes on with; null where there is none or its home is not here. */
  parent: Place | null;
  /** Takes the place of the repository. */
  snapshot?: Restore;
  /** How far the clone is, in a few words. */
  progress(step: string): void;
  /** The image that the agent will run in, where it is known before the workspace is. */
  image: string | null;
};

/** What a person should know about the workspace that was made: `note` of the remote, `start` of where its work begins. */
export type Prepared = { note: string | null; start: string | null };

/** A command in the surroundings of an agent, which may be running. The runner waits for it. */
export type Task = {
  place: Place;
  environment: ReadonlyMap<string, string>;
  command: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
  /** The workspace and the home cannot be written. */
  readOnly?: boolean;
  /** The agent's image, where the command is to find what the agent does. */
  image?: string | null;
  /** Open files in place of /dev/null and of the output that is kept. */
  stdin?: number;
  stdout?: number;
};

/** `output`: the end of it. */
export type TaskResult = { status: number | null; output: string; timedOut: boolean };

/** Runs a task under the limits of an agent. Nothing of it runs when it resolves. */
export type RunTask = (task: Task) => Promise<TaskResult>;

/** A file or folder of this machine that an agent finds at another place, to be read only. */
export type Provided = { from: string; to: string };

export type Job = {
  place: Place;
  run: RunDir;
  /** Null: what the image says. */
  command: readonly string[] | null;
  /** Null: the agent runs on the programs of this machine. */
  image: string | null;
  environment: ReadonlyMap<string, string>;
  /** One that is gone is left out. */
  provided: readonly Provided[];
  /** Open. Its directory is mounted read-only, and it listens in the agent's namespace before the command runs. */
  gateway: AgentGateway;
};

/** How far an image is, and in a few words what is being done. */
export type ImageProgress = (state: 'pulling' | 'building', step: string) => void;

/** Makes images ready to be run. Both are repeatable, give the name to run, and throw a Refusal. */
export type Images = {
  pull(name: string, progress: ImageProgress, signal: AbortSignal): Promise<string>;
  /** From a file in the workspace. Nothing of the agent runs meanwhile. */
  build(
    place: Place,
    dockerfile: string,
    progress: ImageProgress,
    signal: AbortSignal,
  ): Promise<string>;
};

export type ProcessState =
  /** No process has claimed the epoch. */
  | { at: 'none' }
  /** The epoch was claimed so that no process ever will. */
  | { at: 'never'; reason: string }
  | { at: 'alive' }
  | { at: 'exited'; status: number }
  /** It ended and left no exit status. */
  | { at: 'lost'; detail: string };

export type Availability = { available: boolean; reason?: string; limits?: Limits };

/** What the person who ordered it is told instead of a running agent. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/**
 * Runs agents that outlive the runner. Everything known about a process is in its run directory, so that
 * any runner can go on with it.
 */
export interface Executor {
  readonly kind: ExecutorInfo['kind'];
  /** Null where agents need none. */
  readonly images: Images | null;
  check(): Promise<Availability>;
  /** Makes `workspace` and `home` where they are missing. Repeatable. Throws a Refusal. */
  prepare(place: Place, source: WorkspaceSource, signal: AbortSignal): Promise<Prepared>;
  task: RunTask;
  /** Repeatable: the first process to claim the epoch is its only one. Calls `gone` when that try has ended. */
  start(job: Job, gone: () => void): Promise<void>;
  state(run: RunDir): ProcessState;
  /** The network of a process that runs, or null. */
  network(run: RunDir): NetworkPlace | null;
  /** Holds everything of the process still, or lets it go on. Repeatable. */
  freeze(run: RunDir, frozen: boolean): Promise<void>;
  /**
   * Null where something of the process can run. Else what is another text as soon as something of it has run, whether it
   * runs at the moment or not.
   */
  stillness(run: RunDir): string | null;
  /** Asks the agent's command to end. */
  terminate(run: RunDir): Promise<void>;
  /** Ends everything the agent started; its exit status is still recorded. */
  kill(run: RunDir): Promise<void>;
  /** Resolves when nothing of the process is left that could write. Ends what is. Throws where that cannot be done. */
  settle(run: RunDir): Promise<void>;
}
