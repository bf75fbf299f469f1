import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { namespaceId, type NetworkPlace } from '../egress/namespace.ts';
import { WAY_OUT } from '../egress/way-out.ts';
import { syncAll } from '../files.ts';
import type { Mirrors } from '../git/mirrors.ts';
import type { RunDir } from '../home.ts';
import { reasonOf } from '../log.ts';
import { signal as send } from '../proc.ts';
import { bwrapArgs, encodeArgs, seccompFilter } from './bwrap-args.ts';
import { borrowedMirror } from './borrowed-mirror.ts';
import { MIRROR } from './clone.ts';
import {
  type Availability,
  type Executor,
  type Job,
  type Place,
  type Prepared,
  type ProcessState,
  Refusal,
  type Task,
  type TaskResult,
  type WorkspaceSource,
} from './executor.ts';
import { coveredStdio } from './inherited.ts';
import type { AgentLimits } from '../limits/agent-limits.ts';
import { setFrozen } from '../limits/freezer.ts';
import { mountPoints } from './mount-points.ts';
import { letGoOf, type Networks } from './networks.ts';
import {
  initOf,
  killShimGroup,
  processState,
  shimOf,
  shimRuns,
  terminateCommand,
} from './process-files.ts';
import { makeWorkspace } from './make-workspace.ts';
import { PRIVATE, runOnce } from './once.ts';
import { checkSandbox } from './self-test.ts';
import { SHIM, SHIM_FD } from './shim.ts';
import { findTool } from './tools.ts';

const SETTLE_MS = 5_000;
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
/** After the time of a task, when its runner has not ended it. */
const TASK_END_SECONDS = 5;

/** Agents in bubblewrap, each with a uid of its own where the runner is root. */
export class SandboxExecutor implements Executor {
  readonly kind = 'sandbox';
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

  check(): Promise<Availability> {
    return checkSandbox(this.#env, this.#networks);
  }

  async prepare(place: Place, source: WorkspaceSource, signal: AbortSignal): Promise<Prepared> {
    if (place.uid !== null) {
      // Its own group may enter the directory, and nothing but what it owns in there.
      chownSync(place.dir, 0, place.uid);
      chmodSync(place.dir, 0o710);
    }
    own(join(place.dir, 'home'), place.uid);
    const workspace = join(place.dir, 'workspace');
    if (lstatSync(workspace, { throwIfNoEntry: false }) !== undefined) {
      own(workspace, place.uid);
      return { note: null, start: null };
    }
    const fresh = join(place.dir, 'workspace.new');
    const empty = (): void => {
      rmSync(fresh, { recursive: true, force: true });
      own(fresh, place.uid);
    };
    const mirrors = this.#mirrors;
    const task = (one: Task): Promise<TaskResult> => this.task(one);
    const hold = (): ReturnType<AgentLimits['hold']> => this.#limits.hold(place.slug);
    const bwrap = (): string => this.#bwrap();
    const made = await makeWorkspace(
      { place, source, into: fresh, empty, mirrors, task, hold, bwrap },
      signal,
    );
    renameSync(fresh, workspace);
    await syncAll([place.dir]);
    return made;
  }

  async task(task: Task): Promise<TaskResult> {
    const { place, command, readOnly = false, ...rest } = task;
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
    const { place, run } = job;
    const mirror = borrowedMirror(place, this.#mirrors);
    const sources = mirror === null ? [place.dir] : [place.dir, mirror];
    const points = place.uid === null ? [] : mountPoints(sources);
    const [seen = '', mirrorSeen] = place.uid === null ? sources : points;
    const gateway = seen + job.gateway.directory.slice(place.dir.length);
    const extra = ['--ro-bind', gateway, WAY_OUT.mount];
    if (mirrorSeen !== undefined) extra.push('--ro-bind', mirrorSeen, MIRROR);
    const args = bwrapArgs(
      { workspace: join(seen, 'workspace'), home: join(seen, 'home'), extra, entered: true },
      job.environment,
    );
    writeFileSync(run.args, encodeArgs(args), { mode: 0o600 });
    this.#limits.enter(run, place.slug);
    writeFileSync(run.seccomp, seccompFilter(), { mode: 0o600 });
    const uid = String(place.uid ?? process.getuid?.() ?? 65534);
    const mounts = [place.dir, points[0] ?? '', mirror ?? '', points[1] ?? ''];
    const shim = ['-c', SHIM, 'filepath-shim', run.path, ...mounts, uid, this.#bwrap()];
    const [file, prefix] =
      place.uid === null ? ['/bin/sh', []] : ['unshare', [...PRIVATE, '/bin/sh']];
    const network = await this.#networks.take();
    try {
      await job.gateway.adopt(network.listener, network.id);
      const stdio = coveredStdio();
      for (let fd = stdio.length; fd <= SHIM_FD.user; fd++) stdio[fd] = 'ignore';
      stdio[SHIM_FD.net] = network.net;
      if (network.user !== null) stdio[SHIM_FD.user] = network.user;
      const options = {
        cwd: '/',
        detached: true,
        stdio,
        env: { PATH: SYSTEM_PATH, FSIZE: this.#limits.fileBlocks() },
      };
      const command = [...prefix, ...shim, ...this.#limits.prefix(), ...job.command];
      const child = spawn(file, command, options);
      child.on('exit', gone);
      child.unref();
      await once(child, 'spawn');
    } catch (error) {
      throw new Refusal(`cannot start the agent: ${reasonOf(error)}`);
    } finally {
      letGoOf(network);
    }
  }

  state(run: RunDir): ProcessState {
    return processState(run);
  }

  /** As the shim holds it: the owner of the namespace is not the sandbox's own. */
  network(run: RunDir): NetworkPlace | null {
    const shim = shimOf(run);
    if (shim === null || !shimRuns(run)) return null;
    const [net, user] = [SHIM_FD.net, SHIM_FD.user].map((fd) => `/proc/${shim.pid}/fd/${fd}`);
    if (net === undefined || namespaceId(net) === null) return null;
    return { net, user: process.getuid?.() === 0 ? null : (user ?? null) };
  }

  freeze(run: RunDir, frozen: boolean): void {
    setFrozen(run, frozen);
  }

  terminate(run: RunDir): void {
    terminateCommand(run);
  }

  kill(run: RunDir): void {
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

/** A directory of the agent's. The one above it is not the agent's, so no link can stand in its place. */
function own(path: string, uid: number | null): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Whoever put something else there: what it leads to is given to no agent.
  if (found?.isDirectory() === false) {
    throw new Refusal(`${basename(path)} of the agent is no directory: remove it: ${path}`);
  }
  if (found === undefined) mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid !== null) chownSync(path, uid, uid);
  // An agent may have shut itself out.
  chmodSync(path, statSync(path).mode | 0o700);
}
