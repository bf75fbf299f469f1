import type { Duplex, Readable } from 'node:stream';
import { z } from 'zod';
import {
  Created,
  History,
  Images,
  Info,
  Inspected,
  InspectedImage,
  Listed,
  Step,
  Version,
} from './answers.ts';
import { EngineError, EngineHttp } from './http.ts';

/** Of Docker's API, what every engine since 2020 answers. */
const NEWEST_API = '1.41';
const OLDEST_API = [1, 40] as const;
const MINUTE = 60_000;
/** A machine under load may be slow to answer; a socket without an engine says so at once. */
const PROBE_MS = 20_000;

/** How a runner and its shims talk to an engine: all of it fits into a file. */
export const EngineAddress = z.strictObject({
  socket: z.string().min(1),
  api: z.string().regex(/^\d+\.\d+$/),
  podman: z.boolean(),
});
export type EngineAddress = z.infer<typeof EngineAddress>;

export type EngineState = z.infer<typeof Inspected>['State'];

/** A container engine with Docker's API. Containers are named by the caller; what is done twice is done. */
export class Engine {
  readonly address: EngineAddress;
  readonly #http: EngineHttp;

  constructor(address: EngineAddress) {
    this.address = address;
    this.#http = new EngineHttp(address.socket);
  }

  /** Finds out how to talk to the engine behind a socket. */
  static async connect(socket: string): Promise<{ engine: Engine; version: string }> {
    const http = new EngineHttp(socket);
    await http.text({ method: 'GET', path: '/_ping', timeoutMs: PROBE_MS });
    const answer = await http.json({ method: 'GET', path: '/version', timeoutMs: PROBE_MS });
    const { ApiVersion, Components, Version: version } = Version.parse(answer);
    const [major = 0, minor = 0] = ApiVersion.split('.').map(Number);
    if (major < OLDEST_API[0] || (major === OLDEST_API[0] && minor < OLDEST_API[1])) {
      throw new Error(`its API is ${ApiVersion}, at least ${OLDEST_API.join('.')} is needed`);
    }
    const api = major === 1 && minor < 41 ? ApiVersion : NEWEST_API;
    const podman = Components.some(({ Name }) => Name === 'Podman Engine');
    const name = `${podman ? 'podman' : 'docker'} ${version}`;
    return { engine: new Engine({ socket, api, podman }), version: name };
  }

  async info(): Promise<z.infer<typeof Info>> {
    return Info.parse(await this.#json('GET', '/info'));
  }

  async create(name: string, body: unknown): Promise<string> {
    const path = `/containers/create?name=${encodeURIComponent(name)}`;
    const answer = await this.#http.json({ method: 'POST', path: this.#at(path), json: body });
    return Created.parse(answer).Id;
  }

  /** stdin, stdout and stderr of a container that is about to start. */
  attach(name: string): Promise<Duplex> {
    const query = 'stream=1&stdin=1&stdout=1&stderr=1&detachKeys=';
    const path = this.#at(`/containers/${name}/attach?${query}`);
    return this.#http.hijack({ method: 'POST', path });
  }

  async start(name: string): Promise<void> {
    await this.#http.text({ method: 'POST', path: this.#at(`/containers/${name}/start`) });
  }

  /** Null where there is none. */
  async inspect(name: string): Promise<EngineState | null> {
    const answer = await absent(this.#json('GET', `/containers/${name}/json`));
    return answer === null ? null : Inspected.parse(answer).State;
  }

  /** To process 1 of the container. Nothing where it does not run. */
  async signal(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const path = `/containers/${name}/kill?signal=${signal}`;
    await idle(this.#http.text({ method: 'POST', path: this.#at(path) }));
  }

  /** Says whether there was something to hold. */
  async pause(name: string, paused: boolean): Promise<boolean> {
    const state = await this.inspect(name);
    if (state === null || (!state.Running && !state.Paused)) return false;
    if (state.Paused === paused) return true;
    const path = `/containers/${name}/${paused ? 'pause' : 'unpause'}`;
    await this.#http.text({ method: 'POST', path: this.#at(path) });
    return true;
  }

  /** Ends it and takes it and its volumes away. */
  async remove(name: string): Promise<void> {
    const path = this.#at(`/containers/${name}?force=true&v=true`);
    await absent(this.#http.text({ method: 'DELETE', path }));
  }

  async list(label: string): Promise<z.infer<typeof Listed>> {
    const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
    return Listed.parse(await this.#json('GET', `/containers/json?all=true&filters=${filters}`));
  }

  /** Null where it is not on this machine. */
  async image(name: string): Promise<InspectedImage | null> {
    const answer = await absent(this.#json('GET', `/images/${encodeURI(name)}/json`));
    return answer === null ? null : InspectedImage.parse(answer);
  }

  /** How an image came to be, as far as it says. */
  async history(name: string): Promise<string[]> {
    const answer = History.parse(await this.#json('GET', `/images/${encodeURI(name)}/history`));
    return answer.map(({ CreatedBy }) => CreatedBy ?? '');
  }

  async untag(name: string): Promise<void> {
    const path = this.#at(`/images/${encodeURI(name)}`);
    await absent(this.#http.text({ method: 'DELETE', path }));
  }

  async anyImage(): Promise<string | null> {
    return Images.parse(await this.#json('GET', '/images/json'))[0]?.Id ?? null;
  }

  async pull(name: string, take: (text: string) => void, signal: AbortSignal): Promise<void> {
    const path = this.#at(`/images/create?fromImage=${encodeURIComponent(name)}`);
    await this.#steps({ method: 'POST', path, signal, timeoutMs: 10 * MINUTE }, take);
  }

  async build(
    query: Record<string, string>,
    context: Readable,
    take: (text: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const path = this.#at(`/build?${new URLSearchParams(query).toString()}`);
    const body = { body: context, type: 'application/x-tar' };
    await this.#steps({ method: 'POST', path, signal, timeoutMs: 30 * MINUTE, ...body }, take);
  }

  /** Both answer 200 before they know how it ends: an error is one of the lines. */
  async #steps(call: Parameters<EngineHttp['lines']>[0], take: (text: string) => void) {
    let fault: string | null = null;
    await this.#http.lines(call, (line) => {
      const step = stepOf(line);
      if (step === null) return;
      fault ??= step.errorDetail?.message ?? step.error ?? null;
      const text = step.stream ?? [step.status, step.id].filter(Boolean).join(' ');
      for (const one of text.split('\n')) if (one.trim() !== '') take(one.trim());
    });
    if (fault !== null) throw new EngineError(500, fault);
  }

  #json(method: 'GET', path: string): Promise<unknown> {
    return this.#http.json({ method, path: this.#at(path) });
  }

  #at(path: string): string {
    return `/v${this.address.api}${path}`;
  }
}

function stepOf(line: string): z.infer<typeof Step> | null {
  try {
    return Step.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

const answered = async <T>(work: Promise<T>, ...statuses: number[]): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineError && statuses.includes(error.status)) return null;
    throw error;
  }
};

const absent = <T>(work: Promise<T>): Promise<T | null> => answered(work, 404);
const idle = <T>(work: Promise<T>): Promise<T | null> => answered(work, 404, 409);
