import {
  type AllowedHost,
  canonicalHost,
  type NetworkConfig,
  parseAllowedHost,
} from '@filepath/protocol';
import { parseRemote } from '../git/remote.ts';
import { REGISTRIES } from './registries.ts';

/** Why a host is out of reach, and what a person can change. */
export type Denial = { reason: string; hint: string };

const USUAL_PORTS: readonly number[] = [80, 443];

/** What one agent may ask for, by name and port. The address behind a name is checked when it is dialled. */
export class EgressPolicy {
  readonly #policy: NetworkConfig['policy'];
  readonly #allowed: readonly AllowedHost[];

  /** `repository`: where the session's commits come from. */
  constructor(network: NetworkConfig, repository: string | null) {
    this.#policy = network.policy;
    const own = (network.allow ?? []).flatMap((text) => parseAllowedHost(text) ?? []);
    const usual = REGISTRIES.map((host) => ({ host, below: false, port: null }));
    this.#allowed =
      network.policy === 'allowlist' ? [...own, ...hostsOf(repository), ...usual] : own;
  }

  /** Null: it may be dialled. The host is canonical. */
  denial(host: string, port: number): Denial | null {
    const shown = host.includes(':') ? `[${host}]` : host;
    if (this.#policy === 'none') {
      return {
        reason: 'the network policy of this agent is none',
        hint: `set network.policy of this agent to "allowlist" with "${shown}" in network.allow, and start it again`,
      };
    }
    const named = this.#allowed.filter((entry) => matches(entry, host));
    const usual = USUAL_PORTS.includes(port);
    if (named.some((entry) => (entry.port === null ? usual : entry.port === port))) return null;
    if (this.#policy === 'open' && usual) return null;
    const entry = usual ? shown : `${shown}:${port}`;
    const hint = `add "${entry}" to network.allow of this agent, and start it again`;
    return this.#policy === 'open' || named.length > 0
      ? { reason: `its network policy does not name port ${port}`, hint }
      : { reason: 'the network policy of this agent does not name it', hint };
  }
}

function matches(entry: AllowedHost, host: string): boolean {
  return entry.below ? host.endsWith(`.${entry.host}`) : host === entry.host;
}

/** The host of the session's repository, over http and at the port that its URL names. */
function hostsOf(repository: string | null): AllowedHost[] {
  if (repository === null) return [];
  let name: string;
  let port: number | null = null;
  try {
    const remote = parseRemote(repository);
    if (remote.kind === 'path') return [];
    const scp = /^[^/]*@([^:/]+):/.exec(remote.shown)?.[1];
    const url = scp === undefined ? new URL(remote.shown) : null;
    name = scp ?? url?.hostname ?? '';
    if (remote.kind === 'url' && url?.port) port = Number(url.port);
  } catch {
    return [];
  }
  const host = canonicalHost(name);
  if (host === null) return [];
  const usual = { host, below: false, port: null };
  return port === null ? [usual] : [usual, { ...usual, port }];
}
