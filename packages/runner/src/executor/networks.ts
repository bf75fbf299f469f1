import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:net';
import { listenBehind } from '../egress/listener-process.ts';
import { foreignNamespace } from '../egress/namespace.ts';
import { Refusal } from './executor.ts';
import { findTool } from './tools.ts';

/** A network namespace with nothing but loopback and, on it, a listener of this runner. Nothing runs in it. */
export type Network = {
  listener: Server;
  /** What tells it from others. */
  id: string;
  /** Descriptors that keep it: its own, and that of the user namespace that owns it where that is not the runner's. */
  net: number;
  user: number | null;
};

/** Kept ready: an agent and its first child need not wait. */
const READY = 2;
/** An agent that just started has the processor first. */
const REFILL_MS = 200;

/** Makes networks for sandboxes ahead of time, since each costs a start of Node. */
export class Networks {
  readonly #env: NodeJS.ProcessEnv;
  readonly #ready: Network[] = [];
  #refill: NodeJS.Timeout | null = null;
  #making: Promise<void> | null = null;
  readonly #closing = new AbortController();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** One that is the caller's from here on. Throws a Refusal. */
  async take(): Promise<Network> {
    const network = this.#ready.shift() ?? (await this.#make());
    this.#later();
    return network;
  }

  /** One to try, which no agent is ever in at the same time. */
  async lend<T>(use: (network: Network) => Promise<T>): Promise<T> {
    const network = this.#ready.shift() ?? (await this.#make());
    try {
      return await use(network);
    } finally {
      this.#put(network);
    }
  }

  #put(network: Network): void {
    if (this.#closed || this.#ready.length >= READY) void letGo(network);
    else this.#ready.push(network);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#refill !== null) clearTimeout(this.#refill);
    await this.#making;
    await Promise.all(this.#ready.splice(0).map(letGo));
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  #later(): void {
    if (this.#refill !== null || this.#making !== null || this.#closed) return;
    this.#refill = setTimeout(() => {
      this.#refill = null;
      this.#making = this.#fill().finally(() => {
        this.#making = null;
      });
    }, REFILL_MS).unref();
  }

  async #fill(): Promise<void> {
    while (!this.#closed && this.#ready.length < READY) {
      // The next start finds out what is wrong, and is refused with it.
      const network = await this.#make().catch(() => null);
      if (network === null) return;
      this.#put(network);
    }
  }

  async #make(): Promise<Network> {
    const bwrap = findTool('bwrap', this.#env);
    if (bwrap === null) throw new Refusal('bubblewrap is gone since the runner started');
    const ordinary = process.getuid?.() !== 0;
    const owner = ordinary ? ['--unshare-user'] : [];
    // bubblewrap brings the loopback of a new namespace up.
    const prefix = [bwrap, ...owner, '--unshare-net', '--dev-bind', '/', '/', '--'];
    const opened: number[] = [];
    const hold = (path: string): number => {
      const fd = openSync(path, 'r');
      opened.push(fd);
      return fd;
    };
    try {
      const { server, pid, release } = await listenBehind(prefix, this.#closing.signal);
      try {
        const net = hold(`/proc/${pid}/ns/net`);
        const user = ordinary ? hold(`/proc/${pid}/ns/user`) : null;
        server.unref();
        return { listener: server, id: foreignNamespace(net), net, user };
      } catch (error) {
        server.close();
        throw error;
      } finally {
        release();
      }
    } catch (error) {
      for (const fd of opened) closeSync(fd);
      throw new Refusal(
        `the agent would have no way out: ${error instanceof Error ? error.message : ''}`,
      );
    }
  }
}

/** Closes the descriptors: whoever lives in it keeps it. */
export function letGoOf({ net, user }: Network): void {
  closeSync(net);
  if (user !== null) closeSync(user);
}

async function letGo(network: Network): Promise<void> {
  await new Promise<void>((resolve) => network.listener.close(() => resolve()));
  letGoOf(network);
}
