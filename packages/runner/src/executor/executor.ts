import type { Executor as ExecutorInfo } from '@filepath/protocol';
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
  /** Takes the place of the repository. */
  snapshot?: Restore;
  /** How far the clone is, in a few words. */
  progress(step: string): void;
};

/** `note`: what a person should know about the workspace that was made. */
export type Prepared = { note: string | null };

export type Job = {
  place: Place;
  run: RunDir;
  command: readonly string[];
  environment: ReadonlyMap<string, string>;
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

export type Availability = { available: boolean; reason?: string };

/** What the person who ordered it is told instead of a running agent. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/**
 * Runs agents that outlive the runner. Everything known about a process is in its run directory, so that
 * any runner can go on with it.
 */
export interface Executor {
  readonly kind: Exclude<ExecutorInfo['kind'], 'container'>;
  check(): Promise<Availability>;
  /** Makes `workspace` and `home` where they are missing. Repeatable. Throws a Refusal. */
  prepare(place: Place, source: WorkspaceSource, signal: AbortSignal): Promise<Prepared>;
  /** Repeatable: the first process to claim the epoch is its only one. Calls `gone` when that try has ended. */
  start(job: Job, gone: () => void): Promise<void>;
  state(run: RunDir): ProcessState;
  /** Holds everything of the process still, or lets it go on. Repeatable. */
  freeze(run: RunDir, frozen: boolean): void;
  /** Asks the agent's command to end. */
  terminate(run: RunDir): void;
  /** Ends everything the agent started; its exit status is still recorded. */
  kill(run: RunDir): void;
  /** Resolves when nothing of the process is left that could write. Ends what is. */
  settle(run: RunDir): Promise<void>;
}
