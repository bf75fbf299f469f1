import { chmodSync, chownSync, closeSync, constants, mkdirSync, openSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { listenBehind } from './listener-process.ts';
import { entering, foreignNamespace, type NetworkPlace } from './namespace.ts';
import type { AgentProxy } from './proxy.ts';
import { WAY_OUT } from './way-out.ts';

/**
 * One agent's way out, held by the runner: a socket in a folder that the executor mounts read-only at `WAY_OUT.mount`, and
 * a listener on the loopback of the agent's network namespace. It knows nothing of how the agent is run.
 */
export class AgentGateway {
  /** `agents/{slug}/gateway`. */
  readonly directory: string;
  readonly #uid: number | null;
  readonly #proxy: AgentProxy;
  readonly #servers: Server[] = [];
  #folder: number | null = null;
  #listensIn: string | null = null;
  #closed = false;

  constructor(directory: string, uid: number | null, proxy: AgentProxy) {
    this.directory = directory;
    this.#uid = uid;
    this.#proxy = proxy;
  }

  /** The namespace that it listens in, by `namespaceId`. */
  get listensIn(): string | null {
    return this.#listensIn;
  }

  /** What the agent sent and got, as far as its connections have ended. */
  get bytes(): { readonly up: number; readonly down: number } {
    return this.#proxy.bytes;
  }

  /** Listens on the socket. The folder stays the same, so that an agent sees the socket of a later runner too. */
  async open(): Promise<void> {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    if (this.#uid !== null) chownSync(this.directory, 0, this.#uid);
    chmodSync(this.directory, this.#uid === null ? 0o700 : 0o710);
    const socket = join(this.directory, WAY_OUT.socket);
    rmSync(socket, { force: true });
    this.#folder ??= openSync(this.directory, constants.O_RDONLY | constants.O_DIRECTORY);
    const folder = this.#folder;
    // The path of a socket has at most 107 bytes, and a home may be deep.
    await this.#serve({ path: `/proc/self/fd/${folder}/${WAY_OUT.socket}` });
    chmodSync(socket, 0o666);
  }

  /** Serves a listener that was made in the namespace the agent will be in. */
  async adopt(listener: Server, namespace: string): Promise<void> {
    await this.#serve(listener);
    this.#listensIn = namespace;
  }

  /** Listens in the namespace of an agent that runs already. */
  async listenInNamespace(place: NetworkPlace): Promise<void> {
    const namespace = foreignNamespace(place.net);
    const { server, release } = await listenBehind(entering(place));
    release();
    await this.adopt(server, namespace);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#proxy.close();
    // Resolves when their connections have ended too.
    await Promise.all(this.#servers.splice(0).map(closed));
    // Node removes the socket by the path that it was given: until here the descriptor had to stay.
    if (this.#folder !== null) closeSync(this.#folder);
    this.#folder = null;
  }

  async #serve(on: Server | { path: string }): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#proxy.accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(on, resolve);
    });
    // Faults of accepting, such as too many open files, are those of one connection.
    server.on('error', () => undefined);
    this.#servers.push(server);
    if (!this.#closed) return;
    await this.close();
    throw new Error('the gateway of this agent is closed');
  }
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()));
