import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NetworkPlace } from '../egress/namespace.ts';
import { WAY_OUT } from '../egress/way-out.ts';
import { borrowedMirror } from '../executor/borrowed-mirror.ts';
import { MIRROR } from '../executor/clone.ts';
import { ENVIRONMENT_DEFAULTS, searchPath } from '../executor/environment.ts';
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
} from '../executor/executor.ts';
import type { CloneJob } from '../executor/make-workspace.ts';
import type { Networks } from '../executor/networks.ts';
import { initOf, killShimGroup, processState, shimRuns } from '../executor/process-files.ts';
import { SHIM_FD, shimNetwork, startShim } from '../executor/shim-process.ts';
import { prepareWorkspace } from '../executor/workspace.ts';
import type { Mirrors } from '../git/mirrors.ts';
import type { Home, RunDir } from '../home.ts';
import { limitWords } from '../limits/agent-limits.ts';
import { setFrozen, stillness } from '../limits/freezer.ts';
import type { LimitSettings } from '../limits/settings.ts';
import { reasonOf } from '../log.ts';
import { Mailbox } from '../mailbox.ts';
import { signal as send, statOf } from '../proc.ts';
import { cloneInContainer } from './clone.ts';
import { containerName, labelsOf, onceLabels } from './container-name.ts';
import type { Engine } from './engine.ts';
import { type Facts, factsOf, userOf } from './facts.ts';
import { findEngine } from './find-engine.ts';
import { type Bind, cageBody } from './hardening.ts';
import { EngineError } from './http.ts';
import { EngineImages } from './images.ts';
import { seccompOption } from './seccomp-option.ts';
import { tryContainer } from './self-test.ts';
import type { ShimArgs } from './shim-args.ts';
import { SHIM_PATH } from './shim-path.ts';
import { sweep } from './sweep.ts';
import { type TaskCage, taskInContainer } from './task.ts';
import { declaredVolumes } from './volumes.ts';

const SETTLE_MS = 5_000;

export type ContainerSettings = {
  env: NodeJS.ProcessEnv;
  home: Home;
  limits: LimitSettings;
  /** Most bytes that an agent's files may take; `Infinity`: any. */
  disk: number;
  mirrors: Mirrors;
  networks: Networks;
  /** Makes workspaces where it can. */
  sandbox: Executor;
  /** `FILEPATH_AGENT_IMAGE`. */
  agentImage: string | null;
};

type HeldBy = 'engine' | 'signals';

/** Agents in containers of podman or docker, each with a uid of its own where the runner is root. */
export class ContainerExecutor implements Executor {
  readonly kind = 'container';
  readonly images: EngineImages;
  readonly #settings: ContainerSettings;
  readonly #mailbox = new Mailbox();
  /** Runs that were held still, and by whom. */
  readonly #held = new Map<string, HeldBy>();
  #found: { engine: Engine; facts: Facts } | null = null;
  /** Whether the sandbox can make workspaces. */
  workspacesBySandbox = false;

  constructor(settings: ContainerSettings) {
    this.#settings = settings;
    this.images = new EngineImages(settings, () => this.#require());
  }

  /** Whether agents can be run in containers here. Anything unexpected means no. */
  async check(): Promise<Availability> {
    const { env, limits, home, agentImage } = this.#settings;
    try {
      const found = await findEngine(env);
      if (found.engine === null) return no(found.reason);
      const facts = await factsOf(found.engine);
      const hole = await tryContainer(found.engine, facts, limits, agentImage);
      if (hole !== null) return no(`${found.version}: ${hole}`);
      this.#found = { engine: found.engine, facts };
      await sweep(found.engine, home);
      return { available: true, limits: facts.limits };
    } catch (error) {
      return no(`the container engine could not be tried: ${reasonOf(error)}`);
    }
  }

  async prepare(place: Place, source: WorkspaceSource, signal: AbortSignal): Promise<Prepared> {
    const { sandbox, mirrors, agentImage } = this.#settings;
    if (this.workspacesBySandbox) return sandbox.prepare(place, source, signal);
    const { engine } = await this.#require();
    const image = source.image ?? agentImage;
    const workspaces = {
      mirrors,
      task: (task: Task) => this.task(task),
      hold: () => ({ groups: [], release: async () => undefined }),
      clone: async (job: CloneJob) => {
        if (image === null) throw new Refusal(NO_CLONE);
        await cloneInContainer(engine, await this.#cage(place, image), job);
      },
      restore: async () => {
        throw new Refusal('a snapshot is restored by bubblewrap, which is not here: install it');
      },
    };
    return prepareWorkspace(workspaces, place, source, signal);
  }

  /** With the tools of the agent's image where the task asks for them. */
  async task(task: Task): Promise<TaskResult> {
    const { place } = task;
    const asked = task.image ?? null;
    if (asked === null && this.workspacesBySandbox) return this.#settings.sandbox.task(task);
    const image = asked ?? this.#settings.agentImage;
    if (image === null) throw new Refusal(NO_CLONE);
    const { engine } = await this.#require();
    const environment = await this.#environment(engine, image, task.environment);
    const cage = await this.#cage(place, image);
    return taskInContainer(engine, cage, this.#binds(place), { ...task, environment });
  }

  async start(job: Job, gone: () => void): Promise<void> {
    const { place, run, image } = job;
    if (image === null) throw new Refusal('an agent in a container needs an image');
    const { engine, facts } = await this.#require();
    const { limits, disk } = this.#settings;
    const body = cageBody({
      ...(await this.#cage(place, image, run.seccomp)),
      command: job.command,
      environment: await this.#environment(engine, image, job.environment, job.provided.length > 0),
      labels: labelsOf(run),
      binds: [
        { from: job.gateway.directory, to: WAY_OUT.mount, writable: false },
        ...job.provided
          .filter(({ from }) => existsSync(from))
          .map((one) => ({ ...one, writable: false })),
        ...this.#binds(place),
      ],
    });
    const args: ShimArgs = {
      engine: engine.address,
      name: containerName(run),
      body: { ...body },
      networkFd: this.#entersOurs(engine, facts) ? SHIM_FD.net : null,
      limits: limitWords(limits, disk),
    };
    writeFileSync(run.args, JSON.stringify(args), { mode: 0o600 });
    const command = [process.execPath, SHIM_PATH, 'filepath-shim', run.path];
    const network = this.#entersOurs(engine, facts) ? await this.#settings.networks.take() : null;
    await startShim({ command, gateway: job.gateway, network, gone });
  }

  state(run: RunDir): ProcessState {
    return processState(run);
  }

  /** Its shim's, or that of its process where the engine made one. */
  network(run: RunDir): NetworkPlace | null {
    const held = shimNetwork(run);
    const init = initOf(run);
    if (held !== null || init === null) return held;
    const user = process.getuid?.() === 0 ? null : `/proc/${init}/ns/user`;
    return { net: `/proc/${init}/ns/net`, user };
  }

  freeze(run: RunDir, frozen: boolean): Promise<void> {
    return this.#mailbox.run(run.path, async () => {
      if (frozen && this.#held.has(run.path)) return;
      const engine = await this.#engine();
      const held = await hold(engine, run, frozen);
      if (frozen && held !== null) this.#held.set(run.path, held);
      else this.#held.delete(run.path);
    });
  }

  /** An engine says that it has paused a container when nothing in it runs. */
  stillness(run: RunDir): string | null {
    const by = this.#held.get(run.path) ?? null;
    return by === 'signals' ? stillness(run) : by;
  }

  /** A command that is process 1 and does not handle TERM never gets it; what it waits for does. */
  async terminate(run: RunDir): Promise<void> {
    const engine = await this.#engine();
    await engine?.signal(containerName(run), 'SIGTERM');
    const init = initOf(run);
    const group = init === null ? undefined : statOf(init)?.group;
    if (group !== undefined && group > 1 && group === init) send(-group, 'SIGTERM');
  }

  async kill(run: RunDir): Promise<void> {
    const engine = await this.#engine();
    const sent = engine?.signal(containerName(run), 'SIGKILL');
    try {
      await sent;
    } finally {
      // Without its engine a container of this machine can still be ended.
      const init = initOf(run);
      if (init !== null) send(init, 'SIGKILL');
    }
  }

  async settle(run: RunDir): Promise<void> {
    const began = Date.now();
    this.#held.delete(run.path);
    while (processState(run).at === 'alive' || shimRuns(run)) {
      if (Date.now() - began > 2 * SETTLE_MS) return;
      if (Date.now() - began > SETTLE_MS) killShimGroup(run);
      await delay(5);
    }
    await this.#remove(run);
  }

  async #remove(run: RunDir): Promise<void> {
    const engine = await this.#engine();
    const init = initOf(run);
    if (init !== null) send(init, 'SIGKILL');
    if (engine !== null) return engine.remove(containerName(run));
    if (init !== null) {
      throw new Error(`the container ${containerName(run)} cannot be removed: no engine answers`);
    }
  }

  /**
   * The image's own search path and language hold, unless the agent's configuration says otherwise. What is provided is
   * found beside them.
   */
  async #environment(
    engine: Engine,
    image: string,
    environment: ReadonlyMap<string, string>,
    provided = false,
  ): Promise<Map<string, string>> {
    const known = await engine.image(image);
    if (known === null) throw new Refusal(`the image ${image} is gone: start the agent again`);
    const entries = (known.Config?.Env ?? []).map((entry) => /^([^=]*)=?(.*)$/s.exec(entry));
    const values = new Map(entries.map((match) => [match?.[1] ?? '', match?.[2] ?? '']));
    const own = new Map(environment);
    for (const [name, value] of Object.entries(ENVIRONMENT_DEFAULTS)) {
      const images = values.get(name);
      if (images === undefined || own.get(name) !== value) continue;
      if (provided && name === 'PATH') own.set(name, searchPath(images));
      else own.delete(name);
    }
    for (const [name, value] of own) {
      if (!value.includes('\0')) continue;
      throw new Refusal(`a NUL character stands in the variable ${name}: remove it`);
    }
    return own;
  }

  /**
   * Whether the engine enters a network of ours, in which the way out listens before the command runs. Else it makes one
   * with nothing in it, and the way out comes as soon as the process is there.
   */
  #entersOurs(engine: Engine, facts: Facts): boolean {
    const entered = engine.address.podman && !facts.rootless && process.getuid?.() === 0;
    return entered && this.workspacesBySandbox;
  }

  async #cage(place: Place, image: string, seccomp?: string): Promise<TaskCage> {
    const { engine, facts } = await this.#require();
    const { limits, disk, home } = this.#settings;
    return {
      image,
      volumes: declaredVolumes(await engine.image(image)),
      labels: onceLabels(home.agents),
      seccomp: seccompOption(engine, seccomp ?? join(place.dir, 'seccomp')),
      limits,
      holds: facts.holds,
      fileBytes: Number.isFinite(disk) ? disk : null,
      ...userOf(engine, facts, place.uid),
    };
  }

  /** What of this machine the agent finds inside. A further directory is one more line. */
  #binds(place: Place): Bind[] {
    const mirror = borrowedMirror(place, this.#settings.mirrors);
    return [
      { from: join(place.dir, 'home'), to: '/home/agent', writable: true },
      ...(mirror === null ? [] : [{ from: mirror, to: MIRROR, writable: false }]),
      { from: join(place.dir, 'workspace'), to: '/workspace', writable: true },
    ];
  }

  /** Null where none answers. */
  async #engine(): Promise<Engine | null> {
    if (this.#found !== null) return this.#found.engine;
    return (await findEngine(this.#settings.env)).engine;
  }

  async #require(): Promise<{ engine: Engine; facts: Facts }> {
    if (this.#found !== null) return this.#found;
    throw new Refusal('there was no container engine when the runner started: start it again');
  }
}

/** Null where there was nothing to hold. Where an engine cannot, its processes are held one by one. */
async function hold(engine: Engine | null, run: RunDir, frozen: boolean): Promise<HeldBy | null> {
  if (!frozen) setFrozen(run, false);
  try {
    return (await engine?.pause(containerName(run), frozen)) ? 'engine' : null;
  } catch (error) {
    if (!(error instanceof EngineError) || initOf(run) === null) throw error;
    setFrozen(run, frozen);
    return 'signals';
  }
}

const NO_CLONE =
  'a repository needs git in a sandbox or an image to be cloned: install bubblewrap, or set FILEPATH_AGENT_IMAGE to an image with git';

const no = (reason: string): Availability => ({ available: false, reason: reason.slice(0, 2048) });
