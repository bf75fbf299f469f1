import { existsSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StartOrder } from '@filepath/protocol';
import type { Agent } from './agents.ts';
import type { Catalog } from './catalog/catalog.ts';
import { epochsIn, readJsonOrNull } from './damaged-home.ts';
import { endOnDisk, processUnknown } from './end-on-disk.ts';
import type { Executors } from './executor/executors.ts';
import { Epoch, type EpochContext } from './epoch/epoch.ts';
import { RunDir } from './home.ts';
import { forget, LostEpoch } from './lost-epoch.ts';

export type AttachContext = Pick<
  EpochContext,
  | 'gateways'
  | 'disk'
  | 'quota'
  | 'silenceMs'
  | 'link'
  | 'log'
  | 'backlogBytes'
  | 'placeOf'
  | 'provided'
> & {
  catalog: Catalog;
  executors: Executors;
  /** HEAD of the agent's workspace moved, or a run is over. */
  moved(agent: Agent): void;
  /** The agent did something while it works. */
  acted(agent: Agent): void;
  /** A process of the agent has ended. */
  ended(agent: Agent): void;
};

const CLAIM_MS = 200;
const UNREADABLE = 'its files on the disk of the runner cannot be read';

/** Puts epochs that are on disk into a runner's hands. */
export class Attachments {
  readonly #context: AttachContext;

  constructor(context: AttachContext) {
    this.#context = context;
  }

  attach(agent: Agent, run: RunDir, order: StartOrder): void {
    const { executors, catalog, ...context } = this.#context;
    const { log } = context;
    const epoch = new Epoch({
      ...context,
      ...executors.choose(run, order.config),
      order,
      entry: catalog.find(order.agentType),
      place: agent.place,
      run,
      endEarlier: async () => {
        for (const [number, earlier] of agent.epochs) {
          if (number < run.epoch) await earlier.end('a later epoch has begun');
        }
        for (const number of epochsIn(agent.place.dir)) {
          const before = new RunDir(agent.place.dir, number);
          const executor = executors.of(before);
          if (number >= run.epoch || !processUnknown(executor, before)) continue;
          await endOnDisk(executor, before, 'a later epoch has begun');
        }
      },
      onMoved: () => this.#context.moved(agent),
      onActed: () => this.#context.acted(agent),
      onEnded: () => this.#context.ended(agent),
      onOver: () => agent.epochs.delete(run.epoch),
    });
    agent.epochs.set(run.epoch, epoch);
    const { slug } = agent.place;
    log({ level: 'info', event: 'attached', message: slug, ...nameOf(agent, run) });
    epoch.open();
  }

  /** Goes on with an epoch on disk, or ends and reports what cannot be gone on with. Repeatable. */
  async takeUp(agent: Agent, run: RunDir): Promise<void> {
    const executor = this.#context.executors.of(run);
    if (agent.epochs.has(run.epoch)) return;
    if (existsSync(run.over)) return forget(run);
    const order = StartOrder.safeParse(readJsonOrNull(run.order)).data;
    if (order === undefined || order.thread !== agent.thread || order.epoch !== run.epoch) {
      // One that left nothing else was never taken: it comes again.
      if (leftTraces(run)) this.#lose(agent, run);
      return;
    }
    let unknown = processUnknown(executor, run);
    if (unknown) {
      // A shim that was just started writes its pid file right after making it.
      await delay(CLAIM_MS);
      unknown = processUnknown(executor, run);
    }
    if (unknown || (agent.damaged && existsSync(run.pid))) {
      await endOnDisk(executor, run, UNREADABLE);
    }
    this.attach(agent, run, order);
  }

  /** Every epoch of a home. One that fails keeps no other from being taken up. */
  async takeUpAll(agent: Agent): Promise<void> {
    const faults: unknown[] = [];
    for (const number of epochsIn(agent.place.dir)) {
      await this.takeUp(agent, new RunDir(agent.place.dir, number)).catch((error: unknown) =>
        faults.push(error),
      );
    }
    if (faults.length > 0) throw faults[0];
  }

  #lose(agent: Agent, run: RunDir): void {
    const { executors, link, log } = this.#context;
    const executor = executors.of(run);
    const { thread } = agent;
    const onOver = (): unknown => agent.epochs.delete(run.epoch);
    const epoch = new LostEpoch({ thread, run, executor, link, log, onOver });
    agent.epochs.set(run.epoch, epoch);
    const message = `${agent.place.slug}: the order cannot be read, its agent is lost`;
    log({ level: 'warn', event: 'attached', message, ...nameOf(agent, run) });
    epoch.open();
  }
}

const nameOf = (agent: Agent, run: RunDir): { thread: string; epoch: number } => ({
  thread: agent.thread,
  epoch: run.epoch,
});

const leftTraces = (run: RunDir): boolean =>
  existsSync(run.pid) ||
  existsSync(run.stop) ||
  (statSync(run.observed, { throwIfNoEntry: false })?.size ?? 0) > 0;
