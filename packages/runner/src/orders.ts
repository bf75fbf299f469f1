import { existsSync, mkdirSync, rmSync } from 'node:fs';
import {
  type FreezeOrder,
  type Order,
  type RemoveOrder,
  StartOrder,
  type StopOrder,
  type ThreadId,
} from '@filepath/protocol';
import type { Agent, Agents } from './agents.ts';
import { Epoch, type EpochContext } from './epoch/epoch.ts';
import { recordStop } from './epoch/stop-file.ts';
import { readJson, syncAll, writeAtomic } from './files.ts';
import { RunDir } from './home.ts';
import { Mailbox } from './mailbox.ts';

const KEPT_EPOCHS = 16;

export type OrdersContext = Pick<
  EpochContext,
  'executor' | 'availability' | 'link' | 'log' | 'backlogBytes'
> & {
  agents: Agents;
};

/** Carries orders out. Each method resolves when its order is safe from a kill; each may be repeated. */
export class Orders {
  readonly #context: OrdersContext;
  readonly #mailbox = new Mailbox();
  #closed = false;

  constructor(context: OrdersContext) {
    this.#context = context;
  }

  take(order: Order): Promise<void> {
    return this.#mailbox.run(order.thread, async () => {
      if (this.#closed) throw new Error('the runner is stopping');
      switch (order.kind) {
        case 'start':
          return this.#start(order);
        case 'stop':
          return this.#stop(order);
        case 'freeze':
          return this.#freeze(order);
        case 'remove':
          return this.#remove(order);
      }
    });
  }

  /** Goes on with every epoch that the worker has not called over. */
  resume(): void {
    for (const agent of this.#context.agents.all()) {
      for (const number of this.#context.agents.epochsOnDisk(agent)) {
        const run = new RunDir(agent.place.dir, number);
        if (existsSync(run.over)) forget(run);
        else this.#attach(agent, run);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#mailbox.idle();
    const epochs = this.#context.agents.all().flatMap((agent) => [...agent.epochs.values()]);
    await Promise.all(epochs.map((epoch) => epoch.close()));
  }

  async #start(order: StartOrder): Promise<void> {
    const { agents, log } = this.#context;
    const agent = agents.ensure(order.thread, order.slug);
    const run = new RunDir(agent.place.dir, order.epoch);
    if (agent.epochs.has(order.epoch) || existsSync(run.over)) return;
    if (agents.epochsOnDisk(agent).some((number) => number > order.epoch)) {
      const message = `epoch ${order.epoch} is out of date: not started`;
      log({ level: 'warn', event: 'order-failed', message, thread: order.thread });
      return;
    }
    this.#prune(agent, order.epoch);
    mkdirSync(run.path, { recursive: true, mode: 0o700 });
    writeAtomic(run.order, JSON.stringify(order));
    // The agent may start meanwhile: a power cut would end it too, and the order would come again.
    this.#attach(agent, run);
    await Promise.all([syncAll([run.order, run.path]), agents.sync(agent)]);
  }

  async #stop(order: StopOrder): Promise<void> {
    const { agents, log } = this.#context;
    const agent = agents.find(order.thread);
    if (agent === undefined) {
      const message = 'nothing to stop: no home of this thread is here';
      log({ level: 'warn', event: 'order-failed', message, thread: order.thread });
      return;
    }
    const epoch = agent.epochs.get(order.epoch);
    if (epoch !== undefined) return epoch.stop(order);
    const run = new RunDir(agent.place.dir, order.epoch);
    if (existsSync(run.over)) return;
    // The start may come later: it will find this.
    mkdirSync(run.path, { recursive: true, mode: 0o700 });
    await recordStop(run.stop, order.graceMs);
  }

  /** An epoch that is not here is over. */
  async #freeze(order: FreezeOrder): Promise<void> {
    await this.#context.agents.find(order.thread)?.epochs.get(order.epoch)?.freeze(order);
  }

  async #remove(order: RemoveOrder): Promise<void> {
    const { agents, log } = this.#context;
    const agent = agents.find(order.thread);
    if (agent === undefined) return;
    for (const [number, epoch] of agent.epochs) {
      await epoch.end('the agent was deleted');
      await epoch.close();
      forget(new RunDir(agent.place.dir, number));
    }
    agent.epochs.clear();
    await agents.archive(agent);
    const message = `the home ${agent.place.slug} is in the archive`;
    log({ level: 'info', event: 'removed', message, thread: order.thread });
  }

  /** Takes what is left of long past epochs off the disk. */
  #prune(agent: Agent, epoch: number): void {
    for (const number of this.#context.agents.epochsOnDisk(agent)) {
      const run = new RunDir(agent.place.dir, number);
      if (number < epoch - KEPT_EPOCHS && existsSync(run.over)) {
        rmSync(run.path, { recursive: true, force: true });
      }
    }
  }

  #attach(agent: Agent, run: RunDir): void {
    const parsed = StartOrder.safeParse(readJson(run.order));
    // Without an order's file the order was never taken: it comes again.
    if (!parsed.success) return;
    const { executor, availability, link, log, backlogBytes } = this.#context;
    const epoch = new Epoch({
      order: parsed.data,
      place: agent.place,
      run,
      executor,
      availability,
      link,
      log,
      backlogBytes,
      endEarlier: () => endEarlier(agent, run.epoch),
      onOver: () => agent.epochs.delete(run.epoch),
    });
    agent.epochs.set(run.epoch, epoch);
    log({ level: 'info', event: 'attached', message: agent.place.slug, ...name(agent, run) });
    epoch.open();
  }
}

const name = (agent: Agent, run: RunDir): { thread: ThreadId; epoch: number } => ({
  thread: agent.thread,
  epoch: run.epoch,
});

async function endEarlier(agent: Agent, epoch: number): Promise<void> {
  for (const [number, earlier] of agent.epochs) {
    if (number < epoch) await earlier.end('a later epoch has begun');
  }
}

/** Takes secrets and output of an epoch off the disk. */
function forget(run: RunDir): void {
  for (const path of [run.order, run.args, run.spool]) rmSync(path, { force: true });
}
