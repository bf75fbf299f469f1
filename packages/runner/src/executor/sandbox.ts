import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NetworkPlace } from '../egress/namespace.ts';
import { WAY_OUT } from '../egress/way-out.ts';
import type { Mirrors } from '../git/mirrors.ts';
import type { RunDir } from '../home.ts';
import { signal as send } from '../proc.ts';
import { bwrapArgs, encodeArgs, seccompFilter } from './bwrap-args.ts';
import { PROVIDED } from '../catalog/provided.ts';
import { borrowedMirror } from './borrowed-mirror.ts';
import { clone, MIRROR } from './clone.ts';
import {
  type Availability,
  type Executor,
  type Job,
  type Place,
  type Prepared,
  type ProcessState,
  type Provided,
  Refusal,
  type Task,
  type TaskResult,
  type WorkspaceSource,
} from './executor.ts';
import type { AgentLimits } from '../limits/agent-limits.ts';
import { setFrozen, stillness } from '../limits/freezer.ts';
import { mountPoint, seenBelow } from './mount-points.ts';
import type { Networks } from './networks.ts';
import {
  initOf,
  killShimGroup,
  processState,
  shimRuns,
  terminateCommand,
} from './process-files.ts';
import type { CloneJob } from './make-workspace.ts';
import { PRIVATE, runOnce } from './once.ts';
import { type Restore, restoreWorkspace } from '../snapshot/restore.ts';
import { checkSandbox } from './self-test.ts';
import { SHIM } from './shim.ts';
import { shimNetwork, startShim } from './shim-process.ts';
import { findTool } from './tools.ts';
import { prepareWorkspace } from './workspace.ts';

const SETTLE_MS = 5_000;
/** After the time of a task, when its runner has not ended it. */
const TASK_END_SECONDS = 5;

/** Agents in bubblewrap, each with a uid of its own where the runner is root. */
export class SandboxExecutor implements Executor {
  readonly kind = 'sandbox';
  readonly images = null;
  readonly #env: NodeJS.ProcessEnv;
  readonly #limits: AgentLimits;
  readonly #mirrors: Mirrors;
  readonly #networks: Networks;

  constructor(env: NodeJS.ProcessEnv, limits: AgentLimits, mirrors: Mirrors, networks: Networks) {
    this.#env = env;
    this.#limits = limits;
    this.#mirrors = mirrors;
    this.#networks = networks;
  }

  async check(): Promise<Availability> {
    return { ...(await checkSandbox(this.#env, this.#networks)), limits: this.#limits.report() };
  }

  prepare(place: Place, source: WorkspaceSource, signal: AbortSignal): Promise<Prepared> {
    const workspaces = {
      mirrors: this.#mirrors,
      task: (one: Task) => this.task(one),
      hold: () => this.#limits.hold(place.slug),
      clone: (job: CloneJob) => clone({ ...job, bwrap: this.#bwrap() }),
      restore: (folder: string, snapshot: Restore) =>
        restoreWorkspace({ env: this.#env, limits: this.#limits }, place, folder, snapshot, signal),
    };
    return prepareWorkspace(workspaces, place, source, signal);
  }

  async task(task: Task): Promise<TaskResult> {
    const { place, command, readOnly = false, image: _image, ...rest } = task;
    const mirror = borrowedMirror(place, this.#mirrors);
    const limit = Math.ceil(task.timeoutMs / 1000) + TASK_END_SECONDS;
    const held = this.#limits.hold(place.slug);
    try {
      return await runOnce({
        ...rest,
        bwrap: this.#bwrap(),
        uid: place.uid,
        sources: mirror === null ? [place.dir] : [place.dir, mirror],
        mounts: ([dir = '', seen]) => ({
          workspace: join(dir, 'workspace'),
          home: join(dir, 'home'),
          readOnly,
          extra: seen === undefined ? [] : ['--ro-bind', seen, MIRROR],
        }),
        // A runner that is killed waits for nobody: the command has its time all the same.
        command: ['timeout', '--signal=KILL', `${limit}`, ...this.#limits.prefix(), ...command],
        groups: held.groups,
      });
    } finally {
      // The kernel takes its time, and nobody has to wait for it.
      void held.release();
    }
  }

  async start(job: Job, gone: () => void): Promise<void> {
    const { place, run, command } = job;
    if (command === null) throw new Refusal('an agent in a sandbox needs a command');
    const mirror = borrowedMirror(place, this.#mirrors);
    const shown = [
      ...(mirror === null ? [] : [{ from: mirror, to: MIRROR }]),
      ...job.provided.filter(({ from }) => existsSync(from)),
    ];
    const sources = [place.dir, ...shown.map(({ from }) => from)];
    const at = place.uid === null ? '' : mountPoint(sources);
    const [dir = '', ...seen] = place.uid === null ? sources : seenBelow(at, sources);
    const gateway = dir + job.gateway.directory.slice(place.dir.length);
    const extra = ['--ro-bind', gateway, WAY_OUT.mount, ...readOnly(shown, seen)];
    const args = bwrapArgs(
      { workspace: join(dir, 'workspace'), home: join(dir, 'home'), extra, entered: true },
      job.environment,
    );
    writeFileSync(run.args, encodeArgs(args), { mode: 0o600 });
    this.#limits.enter(run, place.slug);
    writeFileSync(run.seccomp, seccompFilter(), { mode: 0o600 });
    const uid = String(place.uid ?? process.getuid?.() ?? 65534);
    const means = [at, uid, this.#bwrap(), String(sources.length), ...sources];
    const shim = ['-c', SHIM, 'filepath-shim', run.path, ...means];
    const [file, prefix] =
      place.uid === null ? ['/bin/sh', []] : ['unshare', [...PRIVATE, '/bin/sh']];
    await startShim({
      command: [file, ...prefix, ...shim, ...this.#limits.prefix(), ...command],
      env: { FSIZE: this.#limits.fileBlocks() },
      gateway: job.gateway,
      network: await this.#networks.take(),
      gone,
    });
  }

  state(run: RunDir): ProcessState {
    return processState(run);
  }

  network(run: RunDir): NetworkPlace | null {
    return shimNetwork(run);
  }

  async freeze(run: RunDir, frozen: boolean): Promise<void> {
    setFrozen(run, frozen);
  }

  stillness(run: RunDir): string | null {
    return stillness(run);
  }

  async terminate(run: RunDir): Promise<void> {
    terminateCommand(run);
  }

  async kill(run: RunDir): Promise<void> {
    const init = initOf(run);
    if (init === null) killShimGroup(run);
    else send(init, 'SIGKILL');
  }

  async settle(run: RunDir): Promise<void> {
    const began = Date.now();
    while (Date.now() - began < 2 * SETTLE_MS) {
      const state = processState(run);
      const ended = state.at !== 'alive';
      // What waited for a shim that was killed, or was just being started by it, waits without end.
      if (state.at === 'lost') killShimGroup(run);
      const init = initOf(run);
      if (ended && init === null && !shimRuns(run)) return this.#limits.leave(run, state);
      if (ended && init !== null) send(init, 'SIGKILL');
      if (Date.now() - began > SETTLE_MS) {
        setFrozen(run, false);
        killShimGroup(run);
      }
      await delay(5);
    }
  }

  #bwrap(): string {
    const path = findTool('bwrap', this.#env);
    if (path === null) throw new Refusal('bubblewrap is gone since the runner started');
    return path;
  }
}

/** Options that show what is provided, at `seen`. A program of npm's is found by its name. */
function readOnly(shown: readonly Provided[], seen: readonly string[]): string[] {
  const binds = shown.flatMap(({ to }, index) => ['--ro-bind', seen[index] ?? '', to]);
  if (!shown.some(({ to }) => to === PROVIDED.npm)) return binds;
  return [...binds, '--symlink', `${PROVIDED.npm}/bin/npm-cli.js`, PROVIDED.npmCommand];
}
