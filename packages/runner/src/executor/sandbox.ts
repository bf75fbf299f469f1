import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { syncAll } from '../files.ts';
import type { Mirrors } from '../git/mirrors.ts';
import type { RunDir } from '../home.ts';
import { signal as send } from '../proc.ts';
import { bwrapArgs, encodeArgs, seccompFilter } from './bwrap-args.ts';
import { borrowedMirror, recordMirror } from './borrowed-mirror.ts';
import { clone, MIRROR } from './clone.ts';
import {
  type Availability,
  type Executor,
  type Job,
  type Place,
  type Prepared,
  type ProcessState,
  Refusal,
  type WorkspaceSource,
} from './executor.ts';
import { coveredStdio } from './inherited.ts';
import type { AgentLimits } from '../limits/agent-limits.ts';
import { setFrozen } from '../limits/freezer.ts';
import { mountPoints } from './mount-points.ts';
import {
  initOf,
  killShimGroup,
  processState,
  shimRuns,
  terminateCommand,
} from './process-files.ts';
import { PRIVATE } from './once.ts';
import { restoreWorkspace } from '../snapshot/restore.ts';
import { checkSandbox } from './self-test.ts';
import { SHIM } from './shim.ts';
import { findTool } from './tools.ts';

const SETTLE_MS = 5_000;

/** Agents in bubblewrap, each with a uid of its own where the runner is root. */
export class SandboxExecutor implements Executor {
  readonly kind = 'sandbox';
  readonly #env: NodeJS.ProcessEnv;
  readonly #limits: AgentLimits;
  readonly #mirrors: Mirrors;

  constructor(env: NodeJS.ProcessEnv, limits: AgentLimits, mirrors: Mirrors) {
    this.#env = env;
    this.#limits = limits;
    this.#mirrors = mirrors;
  }

  check(): Promise<Availability> {
    return checkSandbox(this.#env);
  }

  async prepare(place: Place, source: WorkspaceSource, signal: AbortSignal): Promise<Prepared> {
    const { repository, snapshot } = source;
    if (place.uid !== null) {
      // Its own group may enter the directory, and nothing but what it owns in there.
      chownSync(place.dir, 0, place.uid);
      chmodSync(place.dir, 0o710);
    }
    own(join(place.dir, 'home'), place.uid);
    const workspace = join(place.dir, 'workspace');
    const fresh = join(place.dir, 'workspace.new');
    if (snapshot !== undefined && !existsSync(workspace)) {
      rmSync(fresh, { recursive: true, force: true });
      own(fresh, place.uid);
      const tools = { env: this.#env, limits: this.#limits };
      await restoreWorkspace(tools, place, 'workspace.new', snapshot, signal);
      renameSync(fresh, workspace);
      await syncAll([place.dir]);
      return { note: null };
    }
    if (existsSync(workspace) || repository === null) {
      own(workspace, place.uid);
      return { note: null };
    }
    const mirror = await this.#mirrors.update({
      repository,
      signal,
      progress: (step) => source.progress(step),
    });
    rmSync(fresh, { recursive: true, force: true });
    own(fresh, place.uid);
    await clone({
      bwrap: this.#bwrap(),
      uid: place.uid,
      into: fresh,
      dir: place.dir,
      mirror,
      branch: `filepath/${place.slug}`,
      signal,
    });
    recordMirror(place, mirror.id);
    renameSync(fresh, workspace);
    await syncAll([place.dir]);
    return { note: mirror.note };
  }

  async start(job: Job, gone: () => void): Promise<void> {
    const { place, run } = job;
    const mirror = borrowedMirror(place, this.#mirrors);
    const sources = mirror === null ? [place.dir] : [place.dir, mirror];
    const points = place.uid === null ? [] : mountPoints(sources);
    const [seen = '', mirrorSeen] = place.uid === null ? sources : points;
    const extra = mirrorSeen === undefined ? [] : ['--ro-bind', mirrorSeen, MIRROR];
    const args = bwrapArgs(
      { workspace: join(seen, 'workspace'), home: join(seen, 'home'), extra },
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
    await new Promise<void>((resolve, reject) => {
      const child = spawn(file, [...prefix, ...shim, ...this.#limits.prefix(), ...job.command], {
        cwd: '/',
        detached: true,
        stdio: coveredStdio(),
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      });
      child.on('error', (error) => reject(new Refusal(`cannot start the agent: ${error.message}`)));
      child.on('spawn', resolve);
      child.on('exit', gone);
      child.unref();
    });
  }

  state(run: RunDir): ProcessState {
    return processState(run);
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
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid !== null) chownSync(path, uid, uid);
  // An agent may have shut itself out.
  chmodSync(path, statSync(path).mode | 0o700);
}
