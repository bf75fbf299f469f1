import { closeSync, createReadStream, openSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ImageProgress, type Images, type Place, Refusal } from '../executor/executor.ts';
import type { LimitSettings } from '../limits/settings.ts';
import { readText, writeAtomic } from '../files.ts';
import { reasonOf } from '../log.ts';
import { Mailbox } from '../mailbox.ts';
import { checkDockerfile, packContext } from './context.ts';
import { basesOf, isImageName } from './dockerfile.ts';
import type { Engine } from './engine.ts';
import type { Facts } from './facts.ts';

const BUILT = 'localhost/filepath-build';
const BUILT_TAG = /^localhost\/filepath-build:[0-9a-f]{32}$/;
const BUILD_MS = 30 * 60_000;
/** In the agent's directory: the image that was built for it. */
const LAST_IMAGE = 'image';
const TOLD = 60;
const KEPT_LINES = 15;
const PERIOD_US = 100_000;
/** Places of an image on this machine that podman would read, as its steps name them when variables are filled in. */
const LOCAL_SOURCE =
  /\bSTEP \d.*(?:\bFROM\s+(?:--\S+\s+)*|--from=)["']?(?:dir|oci|oci-archive|docker-archive|docker-daemon|containers-storage|ostree|sif|tarball):/i;
/** What the check of a Dockerfile lets nobody write: it came from somewhere else. */
const SMUGGLED = /\bSTEP \d+\S*\s+(?:RUN\s+--|ONBUILD\b)/i;
/** podman leaves a build on this machine's network unless it is told to make one. */
const OWN_NETWORK = JSON.stringify([{ Name: 'network', Host: false, Path: '' }]);

type Settings = { env: NodeJS.ProcessEnv; limits: LimitSettings };
type Connected = () => Promise<{ engine: Engine; facts: Facts }>;

/** Images of agents: those of a name are used as they are here, else pulled; those of a file are made once. */
export class EngineImages implements Images {
  readonly #settings: Settings;
  readonly #connected: Connected;
  readonly #mailbox = new Mailbox();

  readonly #buildMs: number;

  constructor(settings: Settings, connected: Connected, buildMs = BUILD_MS) {
    this.#settings = settings;
    this.#connected = connected;
    this.#buildMs = buildMs;
  }

  async pull(name: string, progress: ImageProgress, signal: AbortSignal): Promise<string> {
    if (!isImageName(name)) throw new Refusal(`config.image is no name of an image: ${name}`);
    const { engine } = await this.#connected();
    const full = fullName(name);
    if ((await engine.image(full)) !== null) return full;
    const told = new Told((step) => progress('pulling', step));
    told.say(name);
    try {
      await engine.pull(full, (line) => told.say(`${name}: ${line}`), signal);
      if ((await engine.image(full)) !== null) return full;
      throw new Error('it is not there after it was pulled');
    } catch (error) {
      if (signal.aborted) throw new Refusal('the image was given up');
      throw new Refusal(
        `cannot pull the image ${name}: ${reasonOf(error).slice(0, 1500)}: check its name, or pull it by hand`,
      );
    }
  }

  async build(
    place: Place,
    path: string,
    progress: ImageProgress,
    signal: AbortSignal,
  ): Promise<string> {
    const dockerfile = checkDockerfile(path);
    const { engine } = await this.#connected();
    const archive = join(place.dir, 'build.tar');
    try {
      const { hash, text } = await pack(place, dockerfile, archive);
      const bases = named(dockerfile, () => basesOf(text));
      const tag = `${BUILT}:${hash.slice(0, 32)}`;
      // Two agents of one commit need one build.
      const previous = readText(join(place.dir, LAST_IMAGE))?.trim() ?? '';
      await this.#mailbox.run(tag, async () => {
        if ((await engine.image(tag)) === null) {
          for (const base of bases)
            await this.#base(engine, { dockerfile, base }, progress, signal);
          await this.#build(engine, { dockerfile, archive, tag }, progress, signal);
        }
        writeAtomic(join(place.dir, LAST_IMAGE), `${tag}\n`);
      });
      if (previous !== tag) await this.#forget(engine, place, previous);
      return tag;
    } finally {
      rmSync(archive, { force: true });
    }
  }

  /** Nobody but this machine's owner says which images there are, and none may add to what was checked. */
  async #base(
    engine: Engine,
    { dockerfile, base }: { dockerfile: string; base: string },
    progress: ImageProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const full = fullName(base);
    // podman does not say what an image adds to a build: there a person pulls it.
    const pulls = this.#open && !engine.address.podman;
    if (pulls) await this.pull(base, progress, signal);
    const known = await engine.image(full);
    if (known === null) {
      throw new Refusal(
        `cannot build ${dockerfile}: the image ${base} is not on this machine: pull it by hand, a build pulls none`,
      );
    }
    const adds = (known.Config?.OnBuild ?? []).length > 0;
    if (adds || (await engine.history(full)).some((one) => /\bONBUILD\b/i.test(one))) {
      throw new Refusal(
        `cannot build ${dockerfile}: the image ${base} has ONBUILD, which is not allowed: use another`,
      );
    }
  }

  /** The image that the agent had before, unless another one has it too. */
  async #forget(engine: Engine, place: Place, tag: string): Promise<void> {
    if (!BUILT_TAG.test(tag)) return;
    await this.#mailbox.run(tag, async () => {
      const agents = dirname(place.dir);
      const used = readdirSync(agents, { withFileTypes: true }).some(
        (entry) =>
          entry.isDirectory() && readText(join(agents, entry.name, LAST_IMAGE))?.trim() === tag,
      );
      // One that still runs keeps it.
      if (!used) await engine.untag(tag).catch(() => undefined);
    });
  }

  get #open(): boolean {
    return this.#settings.env['FILEPATH_BUILD_NETWORK'] === 'default';
  }

  async #build(
    engine: Engine,
    job: { dockerfile: string; archive: string; tag: string },
    progress: ImageProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const { dockerfile, archive, tag } = job;
    const told = new Told((step) => progress('building', step));
    told.say(dockerfile);
    const last: string[] = [];
    const local = new AbortController();
    const take = (line: string): void => {
      if (LOCAL_SOURCE.test(line) || SMUGGLED.test(line)) local.abort();
      last.push(line.slice(0, 400));
      if (last.length > KEPT_LINES) last.shift();
      if (/^(?:\[\d+\/\d+\] )?step \d+/i.test(line)) told.say(`${dockerfile}: ${line}`);
    };
    const late = AbortSignal.timeout(this.#buildMs);
    try {
      const either = AbortSignal.any([signal, local.signal, late]);
      either.throwIfAborted();
      await engine.build(
        this.#query(engine, dockerfile, tag),
        createReadStream(archive),
        take,
        either,
      );
      if (local.signal.aborted) throw new Error('given up');
    } catch (error) {
      if (local.signal.aborted) {
        await engine.untag(tag);
        throw new Refusal(`cannot build ${dockerfile}: it takes something of this machine`);
      }
      if (signal.aborted) throw new Refusal('the image was given up');
      if (late.aborted) {
        const minutes = Math.ceil(this.#buildMs / 60_000);
        throw new Refusal(`cannot build ${dockerfile}: it took longer than ${minutes} minutes`);
      }
      const said = [...last, reasonOf(error).slice(0, 1000)].join('\n').slice(-3000);
      throw new Refusal(`cannot build ${dockerfile}: ${said}`);
    }
  }

  #query(engine: Engine, dockerfile: string, tag: string): Record<string, string> {
    const { limits } = this.#settings;
    const { podman } = engine.address;
    return {
      t: tag,
      dockerfile,
      pull: '0',
      pullpolicy: 'never',
      rm: 'true',
      forcerm: 'true',
      networkmode: this.#open ? 'default' : podman ? 'NetworkDisabled' : 'none',
      ...(podman ? { nsoptions: OWN_NETWORK } : {}),
      memory: String(limits.memory),
      memswap: String(limits.memory),
      cpuperiod: String(PERIOD_US),
      cpuquota: String(Math.round(limits.cpus * PERIOD_US)),
    };
  }
}

const fullName = (name: string): string =>
  /[:@]/.test(name.slice(name.lastIndexOf('/') + 1)) ? name : `${name}:latest`;

function named<T>(dockerfile: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Refusal(`cannot build ${dockerfile}: ${reasonOf(error)}`);
  }
}

async function pack(
  place: Place,
  dockerfile: string,
  archive: string,
): ReturnType<typeof packContext> {
  rmSync(archive, { force: true });
  const fd = openSync(archive, 'wx', 0o600);
  try {
    return await packContext(join(place.dir, 'workspace'), dockerfile, fd);
  } finally {
    closeSync(fd);
  }
}

/** Steps are observations: a person reads some of them, and none twice. */
class Told {
  readonly #tell: (step: string) => void;
  readonly #said = new Set<string>();

  constructor(tell: (step: string) => void) {
    this.#tell = tell;
  }

  say(step: string): void {
    if (this.#said.size >= TOLD || this.#said.has(step)) return;
    this.#said.add(step);
    this.#tell(step.slice(0, 500));
  }
}
