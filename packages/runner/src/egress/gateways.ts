import { join } from 'node:path';
import {
  type AgentEntry,
  DEFAULT_NETWORK,
  type NetworkConfig,
  type StartOrder,
} from '@filepath/protocol';
import type { Place } from '../executor/executor.ts';
import { Dialer, permittedHosts, type Resolve, systemResolve } from './dialer.ts';
import { AgentGateway } from './gateway.ts';
import { type Denial, EgressPolicy } from './policy.ts';
import { AgentProxy, PROXY_LIMITS, type ProxyLimits } from './proxy.ts';
import { Reach } from './reach.ts';
import type { Target } from './target.ts';
import type { WorkerPlace } from './to-worker.ts';

/** How names are resolved and what bounds a proxy, where it is not the usual. */
export type EgressOptions = { resolve?: Resolve; limits?: Partial<ProxyLimits> };

/** Makes the gateways of a runner's agents. */
export class Gateways {
  readonly #worker: WorkerPlace;
  readonly #dialer: Dialer;
  readonly #limits: ProxyLimits;

  /** Throws where the environment says something that is not understood. */
  constructor(worker: WorkerPlace, env: NodeJS.ProcessEnv, options: EgressOptions = {}) {
    this.#worker = worker;
    this.#dialer = new Dialer(options.resolve ?? systemResolve, permittedHosts(env));
    this.#limits = { ...PROXY_LIMITS, ...options.limits };
  }

  /** The gateway of an agent as its start order says, not yet listening. */
  make(
    order: StartOrder,
    entry: AgentEntry | null,
    place: Place,
    denied: (target: Target, denial: Denial) => void,
  ): AgentGateway {
    const policy = new EgressPolicy(networkOf(order, entry), order.gitRepoUrl);
    const proxy = new AgentProxy({
      reach: new Reach(policy, this.#dialer, denied),
      worker: this.#worker,
      asking: order,
      limits: this.#limits,
    });
    return new AgentGateway(join(place.dir, 'gateway'), place.uid, proxy);
  }
}

/** What its program needs beside the gateway is open to an agent, unless nothing is. */
function networkOf({ config }: StartOrder, entry: AgentEntry | null): NetworkConfig {
  const network = config.network ?? DEFAULT_NETWORK;
  if (network.policy === 'none' || entry?.hosts === undefined) return network;
  return { ...network, allow: [...(network.allow ?? []), ...entry.hosts] };
}
