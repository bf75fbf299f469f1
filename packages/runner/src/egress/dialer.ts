import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { type AllowedHost, FilepathError, parseAllowedHost } from '@filepath/protocol';
import { ownAddresses, standingOf } from './addresses.ts';
import type { Denial } from './policy.ts';

/** All addresses of a canonical name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The host is there and may not be dialled. */
export class DeniedAddress extends Error {
  override readonly name = 'DeniedAddress';
  readonly denial: Denial;

  constructor(denial: Denial) {
    super(denial.reason);
    this.denial = denial;
  }
}

const CONNECT_MS = 10_000;
const RESOLVE_MS = 10_000;
const TRIED = 4;

export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Connects to hosts whose addresses are public, or that the operator has named. */
export class Dialer {
  readonly #resolve: Resolve;
  readonly #permitted: readonly AllowedHost[];

  constructor(resolve: Resolve, permitted: readonly AllowedHost[]) {
    this.#resolve = resolve;
    this.#permitted = permitted;
  }

  /**
   * The name is resolved once, every address of it is checked, and one of those is dialled: the name is not asked for
   * again. Throws DeniedAddress, or an error in words for the agent.
   */
  async dial(host: string, port: number): Promise<Socket> {
    const addresses = isIP(host) === 0 ? await this.#lookUp(host) : [host];
    const own = ownAddresses();
    const permitted = this.#permitted.some((entry) => entry.host === host && entry.port === port);
    for (const address of addresses) {
      const standing = standingOf(address, own);
      if (standing === 'public' || (standing === 'private' && permitted)) continue;
      throw new DeniedAddress(denialOf(host, port, standing));
    }
    const until = Date.now() + CONNECT_MS;
    const tried = addresses.slice(0, TRIED);
    let fault: unknown;
    for (const [index, address] of tried.entries()) {
      try {
        return await reach(address, port, (until - Date.now()) / (tried.length - index));
      } catch (error) {
        fault = error;
      }
    }
    throw new Error(`${host}:${port} cannot be reached: ${code(fault)}`);
  }

  async #lookUp(host: string): Promise<readonly string[]> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('it took too long')), RESOLVE_MS);
    try {
      const addresses = await Promise.race([this.#resolve(host), late.promise]);
      if (addresses.length === 0) throw new Error('no address');
      return addresses;
    } catch (error) {
      throw new Error(`the name ${host} cannot be resolved: ${code(error)}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Hosts in the operator's own network that agents may be allowed to reach: `host:port`, exact. */
export function permittedHosts(env: NodeJS.ProcessEnv): AllowedHost[] {
  const text = env['FILEPATH_EGRESS_PRIVATE']?.trim() ?? '';
  if (text === '') return [];
  return text.split(',').map((item) => {
    const entry = parseAllowedHost(item.trim());
    if (entry !== null && !entry.below && entry.port !== null) return entry;
    const shown = JSON.stringify(item.trim().slice(0, 100));
    throw new FilepathError(
      'bad_request',
      `FILEPATH_EGRESS_PRIVATE has ${shown}: set it to hosts with their ports, like registry.lan:4873, or unset it`,
    );
  });
}

function denialOf(host: string, port: number, standing: 'private' | 'forbidden'): Denial {
  const name = host.includes(':') ? `[${host}]` : host;
  return standing === 'private'
    ? {
        reason: 'its address is one of this machine or of a private network',
        hint: `whoever runs filepath can permit it with FILEPATH_EGRESS_PRIVATE=${name}:${port} in its environment`,
      }
    : {
        reason: 'its address is reserved, or one that serves the metadata of a machine',
        hint: 'agents reach public addresses only: ask for another host',
      };
}

function reach(address: string, port: number, ms: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true });
    const timer = setTimeout(() => socket.destroy(new Error('ETIMEDOUT')), ms);
    socket.once('connect', () => {
      clearTimeout(timer);
      // Whoever takes the socket adds what it does; until then an error must not be thrown.
      socket.on('error', () => undefined);
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** A few words: an address is none of the agent's business. */
function code(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
