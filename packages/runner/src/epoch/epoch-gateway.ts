import type { AgentEntry, StartOrder } from '@filepath/protocol';
import type { AgentGateway } from '../egress/gateway.ts';
import type { Gateways } from '../egress/gateways.ts';
import { namespaceId } from '../egress/namespace.ts';
import { Denials, type DenialsContext } from '../egress/denials.ts';
import { type Executor, type Place, Refusal } from '../executor/executor.ts';
import type { RunDir } from '../home.ts';
import { reasonOf, type RunnerLog } from '../log.ts';
import { Retries } from '../retries.ts';

export type EpochGatewayContext = {
  gateways: Gateways;
  order: StartOrder;
  entry: AgentEntry | null;
  place: Place;
  run: RunDir;
  executor: Executor;
  denials: Omit<DenialsContext, 'epoch'>;
  say(level: RunnerLog['level'], message: string): void;
};

/** Messages wait no longer than this for a way out. */
const LISTEN_MS = 5_000;

/** The gateway of one epoch's agent: open from before its process starts until that has ended. */
export class EpochGateway {
  readonly #context: EpochGatewayContext;
  readonly #gateway: AgentGateway;
  readonly #retries = new Retries();
  #opening: Promise<void> | null = null;
  #settled = false;
  #listening: PromiseWithResolvers<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(context: EpochGatewayContext) {
    this.#context = context;
    const { gateways, order, entry, place, denials } = context;
    const told = new Denials({ ...denials, epoch: order.epoch });
    this.#gateway = gateways.make(order, entry, place, (target, denial) => {
      // A dial that ends later is nobody's any more.
      if (this.#closing === null) told.record(target, denial);
    });
  }

  /** Before the process: its socket is there. Throws a Refusal. */
  async open(): Promise<AgentGateway> {
    if (this.#closing !== null) throw new Refusal('the start was given up');
    this.#opening ??= this.#gateway.open();
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw new Refusal(`the agent would have no way out: ${reasonOf(error)}`);
    }
    return this.#gateway;
  }

  /**
   * While the way out of an agent is made again that another runner started: until it is there, or could not be made.
   * What the agent is told meanwhile would have it ask nobody.
   */
  get listening(): Promise<void> | null {
    return this.#listening?.promise ?? null;
  }

  /** The process runs. One that another runner started is in a namespace where nobody listens yet. */
  settle(): void {
    if (this.#settled || this.#closing !== null) return;
    const place = this.#context.executor.network(this.#context.run);
    if (place === null) return;
    this.#settled = true;
    if (namespaceId(place.net) === this.#gateway.listensIn) return;
    this.#listening = Promise.withResolvers();
    setTimeout(() => this.#listened(), LISTEN_MS).unref();
    const listen = async (): Promise<void> => {
      const now = this.#context.executor.network(this.#context.run);
      if (now === null || this.#closing !== null) return;
      await this.open();
      await this.#gateway.listenInNamespace(now);
      this.#context.say('info', 'the agent has its way out again');
    };
    this.#retries.run(
      'listen',
      () => listen().finally(() => this.#listened()),
      (error) => this.#context.say('warn', reasonOf(error)),
    );
  }

  #listened(): void {
    this.#listening?.resolve();
    this.#listening = null;
  }

  close(): Promise<void> {
    this.#retries.close();
    this.#listened();
    this.#closing ??= (async () => {
      await this.#opening?.catch(() => undefined);
      await this.#gateway.close();
      const { up, down } = this.#gateway.bytes;
      if (up + down > 0) this.#context.say('info', `${up} bytes sent, ${down} received`);
    })();
    return this.#closing;
  }
}
