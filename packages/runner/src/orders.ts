import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type {
  FreezeOrder,
  Order,
  RemoveOrder,
  RunnerBody,
  StartOrder,
  StopOrder,
} from '@filepath/protocol';
import type { Agent, Agents } from './agents.ts';
import { type AttachContext, Attachments } from './attachments.ts';
import { epochsIn } from './damaged-home.ts';
import { endOnDisk } from './end-on-disk.ts';
import { recordPause } from './epoch/pauser.ts';
import { recordStop } from './epoch/stop-file.ts';
import { syncAll, writeAtomic } from './files.ts';
import { RunDir } from './home.ts';
import type { Jobs } from './jobs/jobs.ts';
import { NO_INPUTS, tellLastWord, unfiled } from './last-word.ts';
import { reasonOf, type RunnerLog } from './log.ts';
import { forget, lostBody, STOPPED_EARLY } from './lost-epoch.ts';
import { Mailbox } from './mailbox.ts';
import { Retries } from './retries.ts';

const KEPT_EPOCHS = 16;
const KEPT_FAILURES = 1024;
const DELETED = 'the agent was deleted';
const NO_HOME = 'the runner has no home of this agent';

export type OrdersContext = Omit<AttachContext, 'placeOf' | 'ended'> & {
  agents: Agents;
  jobs: Jobs;
};

/** Carries orders out. Each method resolves when its order is safe from a kill; each may be repeated. */
export class Orders {
  readonly #context: OrdersContext;
  readonly #attachments: Attachments;
  readonly #mailbox = new Mailbox();
  readonly #retries = new Retries();
  readonly #closing = new AbortController();
  /** Starts that have failed: whether they were called off meanwhile. They come again, from here or from the worker. */
  readonly #failed = new Map<string, { calledOff: boolean }>();

  constructor(context: OrdersContext) {
    const { agents, jobs, ...attach } = context;
    this.#context = context;
    const placeOf: AttachContext['placeOf'] = (thread) => agents.find(thread)?.place ?? null;
    const ended = (agent: Agent): void => {
      jobs.bringBack(agent);
      context.moved(agent);
    };
    this.#attachments = new Attachments({ ...attach, placeOf, ended });
  }

  take(order: Order): Promise<void> {
    // What is done beside the agent waits for none of its starts and stops.
    if (order.kind === 'job') return this.#context.jobs.take(order);
    return this.#run(order.thread, () => {
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
    const { agents, executors } = this.#context;
    for (const agent of agents.all()) {
      const { thread } = agent;
      this.#retries.run(
        thread,
        () => this.#run(thread, () => this.#takeUpAll(agent)),
        (error) => this.#say('error', 'fault', reasonOf(error), thread),
      );
    }
    this.#context.jobs.resume();
    for (const { slug, dir } of agents.nameless()) {
      const endAll = async (): Promise<void> => {
        for (const number of epochsIn(dir)) {
          const run = new RunDir(dir, number);
          if (existsSync(run.pid)) await endOnDisk(executors.of(run), run, NO_HOME);
        }
      };
      this.#say('warn', 'fault', `${slug}: nothing readable says whose home this is`);
      this.#retries.run(
        slug,
        () => this.#run(slug, endAll),
        (error) => this.#say('error', 'fault', `${slug}: ${reasonOf(error)}`),
      );
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#retries.close();
    await this.#mailbox.idle();
    const epochs = this.#context.agents.all().flatMap((agent) => [...agent.epochs.values()]);
    await Promise.all(epochs.map((epoch) => epoch.close()));
    await this.#context.jobs.close();
  }

  #run(key: string, task: () => Promise<void>): Promise<void> {
    return this.#mailbox.run(key, async () => {
      if (this.#closing.signal.aborted) throw new Error('the runner is stopping');
      await task();
    });
  }

  async #takeUpAll(agent: Agent): Promise<void> {
    // Removed while this was tried again.
    if (this.#context.agents.find(agent.thread) !== agent) return;
    await this.#attachments.takeUpAll(agent);
    if (agent.damaged) await this.#context.agents.mend(agent);
  }

  async #start(order: StartOrder): Promise<void> {
    const key = `${order.thread}/${order.epoch}`;
    // Whoever called it off tells the worker.
    if (this.#failed.get(key)?.calledOff === true) return;
    try {
      await this.#begin(order);
      this.#failed.delete(key);
    } catch (error) {
      this.#failed.set(key, { calledOff: false });
      const [oldest = key] = this.#failed.keys();
      if (this.#failed.size > KEPT_FAILURES) this.#failed.delete(oldest);
      throw error;
    }
  }

  async #begin(order: StartOrder): Promise<void> {
    const { agents } = this.#context;
    const agent = agents.ensure(order.thread, order.slug);
    if (agent.damaged) await this.#takeUpAll(agent);
    const run = new RunDir(agent.place.dir, order.epoch);
    if (agent.epochs.has(order.epoch) || existsSync(run.over)) return;
    if (agents.epochsOnDisk(agent).some((number) => number > order.epoch)) {
      const message = `epoch ${order.epoch} is out of date: not started`;
      this.#say('warn', 'order-failed', message, order.thread);
      return;
    }
    this.#prune(agent, order.epoch);
    this.#context.jobs.callOff(agent, order.epoch - 1);
    mkdirSync(run.path, { recursive: true, mode: 0o700 });
    writeAtomic(run.order, JSON.stringify(order));
    // The agent may start meanwhile: a power cut would end it too, and the order would come again.
    this.#attachments.attach(agent, run, order);
    await Promise.all([syncAll([run.order, run.executor, run.path]), agents.sync(agent)]);
  }

  async #stop(order: StopOrder): Promise<void> {
    const failed = this.#failed.get(`${order.thread}/${order.epoch}`);
    if (failed !== undefined) failed.calledOff = true;
    const agent = this.#context.agents.find(order.thread);
    if (agent === undefined) return this.#tellGone(order, failed !== undefined);
    this.#context.jobs.callOff(agent, order.epoch);
    const held = agent.epochs.get(order.epoch);
    if (held !== undefined) return held.stop(order);
    const run = new RunDir(agent.place.dir, order.epoch);
    if (existsSync(run.over)) return;
    mkdirSync(run.path, { recursive: true, mode: 0o700 });
    await recordStop(run.stop, order);
    await this.#attachments.takeUp(agent, run);
  }

  /** There is no place to record the stop in: it is taken when the worker has stored the end. */
  async #tellGone({ thread, epoch }: StopOrder, early: boolean): Promise<void> {
    const { home: _none, ...link } = this.#context.link;
    const { log } = this.#context;
    const body: RunnerBody = early
      ? { type: 'refused', epoch, reason: STOPPED_EARLY }
      : lostBody(epoch, NO_HOME);
    this.#say('warn', 'order-failed', early ? STOPPED_EARLY : NO_HOME, thread);
    const identity = { ...link, thread, epoch, log };
    await tellLastWord(identity, unfiled(body), NO_INPUTS, this.#closing.signal);
  }

  /** An epoch that is not here is over: only what tests its work is left. */
  async #freeze(order: FreezeOrder): Promise<void> {
    const agent = this.#context.agents.find(order.thread);
    if (agent === undefined) return;
    const held = agent.epochs.get(order.epoch);
    if (held !== undefined) await held.freeze(order);
    else await recordPause(new RunDir(agent.place.dir, order.epoch), order);
    this.#context.jobs.paused(agent);
  }

  async #remove(order: RemoveOrder): Promise<void> {
    const { agents, executors } = this.#context;
    for (const [key, failed] of this.#failed) {
      if (key.startsWith(`${order.thread}/`)) failed.calledOff = true;
    }
    const agent = agents.named(order.thread, order.slug);
    if (agent === undefined) return;
    for (const [number, held] of agent.epochs) {
      await held.end(DELETED);
      await held.close();
      agent.epochs.delete(number);
    }
    for (const number of agents.epochsOnDisk(agent)) {
      const run = new RunDir(agent.place.dir, number);
      await endOnDisk(executors.of(run), run, DELETED);
      forget(run);
    }
    await this.#context.jobs.end(agent);
    await agents.archive(agent);
    const message = `the home ${agent.place.slug} is in the archive`;
    this.#say('info', 'removed', message, order.thread);
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

  #say(
    level: RunnerLog['level'],
    event: RunnerLog['event'],
    message: string,
    thread?: string,
  ): void {
    this.#context.log({ level, event, message, ...(thread === undefined ? {} : { thread }) });
  }
}
