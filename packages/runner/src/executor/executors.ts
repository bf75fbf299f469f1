import { existsSync } from 'node:fs';
import type { AgentConfig, Executor as ExecutorInfo } from '@filepath/protocol';
import { readText, writeAtomic } from '../files.ts';
import type { RunDir } from '../home.ts';
import type { Availability, Executor, RunTask } from './executor.ts';

export type Ready = { executor: Executor; availability: Availability };

/** What an agent runs in: an image by name or from a file of its repository, or the programs of this machine. */
export type Image = { name: string } | { dockerfile: string } | null;

/** The ways in which this runner runs agents. The one of an epoch is recorded before its start and holds until its end. */
export class Executors {
  readonly #sandbox: Ready;
  readonly #container: Ready;
  readonly #agentImage: string | null;

  constructor(sandbox: Ready, container: Ready, agentImage: string | null) {
    this.#sandbox = sandbox;
    this.#container = container;
    this.#agentImage = agentImage;
  }

  /** Whether the sandbox works: what is done to a workspace is done in one. */
  get sandbox(): Availability {
    return this.#sandbox.availability;
  }

  /** A command in a sandbox, where it works. */
  readonly inSandbox: RunTask = (task) => this.#sandbox.executor.task(task);

  infos(): ExecutorInfo[] {
    return [this.#sandbox, this.#container].map(({ executor, availability }) => ({
      kind: executor.kind,
      ...availability,
    }));
  }

  choose(run: RunDir, config: AgentConfig): Ready & { image: Image } {
    const wanted = imageOf(config);
    const spare = this.#sandbox.availability.available ? null : this.#agentImage;
    const recorded = readText(run.executor)?.trim();
    const kind =
      recorded === 'sandbox' || recorded === 'container'
        ? recorded
        : wanted !== null || (spare !== null && !existsSync(run.pid))
          ? 'container'
          : 'sandbox';
    if (recorded !== kind) writeAtomic(run.executor, `${kind}\n`);
    if (kind === 'sandbox') return { ...this.#sandbox, image: null };
    const name = this.#agentImage;
    return { ...this.#container, image: wanted ?? (name === null ? null : { name }) };
  }

  /** The executor of an epoch on disk. What does not say it began in a sandbox. */
  of(run: RunDir): Executor {
    const recorded = readText(run.executor)?.trim();
    const container = recorded !== undefined && recorded !== 'sandbox';
    return (container ? this.#container : this.#sandbox).executor;
  }
}

function imageOf({ image, dockerfile }: AgentConfig): Image {
  if (image !== undefined) return { name: image };
  return dockerfile === undefined ? null : { dockerfile };
}
