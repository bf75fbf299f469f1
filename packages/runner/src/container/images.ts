import { closeSync, createReadStream, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageProgress, type Images, type Place, Refusal } from '../executor/executor.ts';
import type { LimitSettings } from '../limits/settings.ts';
import { reasonOf } from '../log.ts';
import { Mailbox } from '../mailbox.ts';
import { checkDockerfile, packContext } from './context.ts';
import type { Engine } from './engine.ts';
import type { Facts } from './facts.ts';

const NAME =
  /^[a-z0-9][a-z0-9._-]*(?::\d+)?(?:\/[a-z0-9][a-z0-9._-]*)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
const BUILT = 'localhost/filepath-build';
const TOLD = 60;
const KEPT_LINES = 15;
const PERIOD_US = 100_000;
/** Places of an image on this machine that podman would read, as its steps name them when variables are filled in. */
const LOCAL_SOURCE =
  /\bSTEP \d.*(?:\bFROM\s+(?:--\S+\s+)*|--from=)["']?(?:dir|oci|oci-archive|docker-archive|docker-daemon|containers-storage|ostree|sif|tarball):/i;
/** podman leaves a build on this machine's network unless it is told to make one. */
const OWN_NETWORK = JSON.stringify([{ Name: 'network', Host: false, Path: '' }]);

type Settings = { env: NodeJS.ProcessEnv; limits: LimitSettings };
type Connected = () => Promise<{ engine: Engine; facts: Facts }>;

/** Images of agents: those of a name are used as they are here, else pulled; those of a file are made once. */
export class EngineImages implements Images {
  readonly #settings: Settings;
  readonly #connected: Connected;
  readonly #mailbox = new Mailbox();

  constructor(settings: Settings, connected: Connected) {
    this.#settings = settings;
    this.#connected = connected;
  }

  async pull(name: string, progress: ImageProgress, signal: AbortSignal): Promise<string> {
    if (!NAME.test(name)) throw new Refusal(`config.image is no name of an image: ${name}`);
    const { engine } = await this.#connected();
    const full = /[:@]/.test(name.slice(name.lastIndexOf('/') + 1)) ? name : `${name}:latest`;
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
      const hash = await pack(place, dockerfile, archive);
      const tag = `${BUILT}:${hash.slice(0, 32)}`;
      // Two agents of one commit need one build.
      return await this.#mailbox.run(tag, async () => {
        if ((await engine.image(tag)) !== null) return tag;
        await this.#build(engine, { dockerfile, archive, tag }, progress, signal);
        return tag;
      });
    } finally {
      rmSync(archive, { force: true });
    }
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
      if (LOCAL_SOURCE.test(line)) local.abort();
      last.push(line.slice(0, 400));
      if (last.length > KEPT_LINES) last.shift();
      if (/^(?:\[\d+\/\d+\] )?step \d+/i.test(line)) told.say(`${dockerfile}: ${line}`);
    };
    try {
      const either = AbortSignal.any([signal, local.signal]);
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
        throw new Refusal(
          `cannot build ${dockerfile}: it takes an image from a file of this machine`,
        );
      }
      if (signal.aborted) throw new Refusal('the image was given up');
      const said = [...last, reasonOf(error).slice(0, 1000)].join('\n').slice(-3000);
      throw new Refusal(`cannot build ${dockerfile}: ${said}`);
    }
  }

  #query(engine: Engine, dockerfile: string, tag: string): Record<string, string> {
    const { limits, env } = this.#settings;
    const open = env['FILEPATH_BUILD_NETWORK'] === 'default';
    const { podman } = engine.address;
    return {
      t: tag,
      dockerfile,
      rm: 'true',
      forcerm: 'true',
      networkmode: open ? 'default' : podman ? 'NetworkDisabled' : 'none',
      ...(podman ? { nsoptions: OWN_NETWORK } : {}),
      memory: String(limits.memory),
      memswap: String(limits.memory),
      cpuperiod: String(PERIOD_US),
      cpuquota: String(Math.round(limits.cpus * PERIOD_US)),
    };
  }
}

async function pack(place: Place, dockerfile: string, archive: string): Promise<string> {
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
