import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlToWorker, JobId, JobOrder, JobResult, ThreadId } from '@filepath/protocol';
import type { Agent, Agents } from '../agents.ts';
import { epochsIn } from '../damaged-home.ts';
import { isPaused } from '../epoch/pauser.ts';
import { RunDir } from '../home.ts';
import { Mailbox } from '../mailbox.ts';
import { type Log, reasonOf } from '../log.ts';
import { Retries } from '../retries.ts';
import { type JobContent, JobFile, jobsIn } from './job-file.ts';
import { Slots } from './slots.ts';

const AT_ONCE = 4;
/** A job that kills its runner is not tried for ever. */
const MOST_TRIES = 3;
const TELL_MS = 5_000;

const NO_HOME = 'the runner has no home of this agent: send it a message first';
const CALLED_OFF = 'called off: the agent was stopped, or works on';
const GIVEN_UP = `the runner ended ${MOST_TRIES} times while it was at work on this: see its log, then ask again`;

/** Whether the agent is paused. */
function isStill({ place }: Agent): boolean {
  const last = epochsIn(place.dir).at(-1);
  return last !== undefined && isPaused(new RunDir(place.dir, last));
}

export type JobsContext = {
  agents: Agents;
  log: Log;
  send(frame: ControlToWorker): void;
  /** Does the work. What it throws is the reason of the failure. */
  carryOut(agent: Agent, order: JobOrder, signal: AbortSignal): Promise<JobResult>;
  /** Takes the agent's commits over where there are new ones; says whether there were. */
  bring(agent: Agent, signal: AbortSignal): Promise<boolean>;
};

/**
 * Work on workspaces beside starts and stops: one job of an agent at a time, a few at once in all. Order and result
 * are on disk, so that a restarted runner repeats what was interrupted and tells what the worker has not stored.
 */
export class Jobs {
  readonly #context: JobsContext;
  readonly #mailbox = new Mailbox();
  readonly #slots = new Slots(AT_ONCE);
  readonly #retries = new Retries();
  readonly #queued = new Set<JobId>();
  /** Those that are over, as long as their files do not say it. */
  readonly #over = new Set<JobId>();
  /** Results that the worker has not stored, and what to do when it has. */
  readonly #untold = new Map<JobId, { thread: ThreadId; result: JobResult; stored(): void }>();
  readonly #aborts = new Map<ThreadId, AbortController>();
  /** Gates that are waited for no more, and those at work. */
  readonly #calledOff = new Set<JobId>();
  readonly #gates = new Map<JobId, AbortController>();
  /** Gates of agents that are paused: no slot is kept for them. */
  readonly #parked = new Set<JobId>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(context: JobsContext) {
    this.#context = context;
    this.#timer = setInterval(() => this.tell(), TELL_MS);
    this.#timer.unref();
  }

  /** Resolves when the job will be carried out whatever happens to this process. Repeatable. */
  async take(order: JobOrder): Promise<void> {
    const agent = this.#context.agents.named(order.thread, order.slug);
    if (agent === undefined) return this.#refuse(order);
    if (this.#over.has(order.id)) return;
    const file = new JobFile(agent.place.dir, order.id);
    if (file.read() === null) {
      mkdirSync(file.dir, { recursive: true, mode: 0o700 });
      await file.write({ state: 'open', order, tries: 0 });
    }
    this.#takeUp(agent, order.id);
  }

  /** Goes on with what is on disk. */
  resume(): void {
    for (const agent of this.#context.agents.all()) {
      for (const job of jobsIn(agent.place.dir)) this.#takeUp(agent, job);
    }
  }

  /** Tells all results that are not stored. */
  tell(): void {
    for (const { thread, result } of this.#untold.values()) {
      this.#context.send({ t: 'done', thread, result });
    }
  }

  stored(job: JobId): void {
    const untold = this.#untold.get(job);
    if (untold === undefined) return;
    this.#untold.delete(job);
    untold.stored();
  }

  /** Ends the tests of what epochs up to this one have done. */
  callOff(agent: Agent, upTo: number): void {
    for (const id of jobsIn(agent.place.dir)) {
      const content = new JobFile(agent.place.dir, id).read();
      if (content?.state !== 'open') continue;
      const work = content.order.do;
      if (work.type !== 'gate' || work.epoch > upTo) continue;
      this.#calledOff.add(id);
      this.#gates.get(id)?.abort();
      this.#unpark(agent, id);
    }
  }

  /** The agent is paused, or goes on: nothing is tested meanwhile, and what was being tested begins anew after it. */
  paused(agent: Agent): void {
    const still = isStill(agent);
    for (const id of jobsIn(agent.place.dir)) {
      if (still) this.#gates.get(id)?.abort();
      else this.#unpark(agent, id);
    }
  }

  /** Takes over what an agent committed, soon. What fails is done when somebody asks for a push. */
  bringBack(agent: Agent): void {
    const { signal } = this.#abortOf(agent);
    const work = this.#enqueue(agent, signal, async () => {
      if (await this.#context.bring(agent, signal)) this.#say('info', 'brought back', agent);
    });
    work.catch((error: unknown) => {
      if (!signal.aborted) this.#warn(agent, error);
    });
  }

  /** Ends the jobs of an agent that is deleted. */
  async end(agent: Agent): Promise<void> {
    this.#abortOf(agent).abort();
    await this.#mailbox.run(agent.thread, () => Promise.resolve());
    this.#aborts.delete(agent.thread);
    for (const job of jobsIn(agent.place.dir)) this.#parked.delete(job);
    // Orders may hold credentials, which the archive is not to keep.
    rmSync(join(agent.place.dir, 'jobs'), { recursive: true, force: true });
    for (const [job, { thread }] of this.#untold) {
      if (thread === agent.thread) this.#untold.delete(job);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#retries.close();
    for (const abort of this.#aborts.values()) abort.abort();
    await this.#mailbox.idle();
  }

  /** There is no place to keep the result in: the order is taken when the worker has stored it. */
  #refuse({ id, thread, do: work }: JobOrder): Promise<void> {
    const result: JobResult = { type: 'job_failed', job: id, work: work.type, reason: NO_HOME };
    return new Promise((resolve) => {
      this.#await(thread, result, resolve);
    });
  }

  #takeUp(agent: Agent, job: JobId): void {
    const content = new JobFile(agent.place.dir, job).read();
    if (content?.state === 'ended') this.#ended(agent, content.result);
    // The file of one that has ended may say otherwise for want of room.
    if (content?.state !== 'open' || this.#queued.has(job) || this.#untold.has(job)) return;
    this.#queued.add(job);
    const { signal } = this.#abortOf(agent);
    // What cannot be begun, on a full disk, is begun when there is room.
    const begin = async (): Promise<void> => {
      await this.#enqueue(agent, signal, () => this.#carryOut(agent, content.order, signal));
      this.#queued.delete(job);
      this.#unpark(agent, job);
    };
    this.#retries.run(job, begin, (error) => this.#warn(agent, error));
  }

  #enqueue(agent: Agent, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    return this.#mailbox.run(agent.thread, () =>
      this.#slots.run(async () => {
        if (!this.#closed && !signal.aborted) await task();
      }),
    );
  }

  async #carryOut(agent: Agent, order: JobOrder, signal: AbortSignal): Promise<void> {
    const file = new JobFile(agent.place.dir, order.id);
    const content = file.read();
    if (content?.state !== 'open') return;
    const failed = (reason: string): JobResult => ({
      type: 'job_failed',
      job: order.id,
      work: order.do.type,
      reason: reason.slice(0, 4096),
    });
    await file.write({ ...content, tries: content.tries + 1 });
    const result =
      content.tries >= MOST_TRIES
        ? failed(GIVEN_UP)
        : await this.#try(agent, order, signal).catch((error: unknown) => failed(reasonOf(error)));
    // A runner that stops leaves it to the next one, and this try does not count.
    if (signal.aborted) return this.#closed ? file.write(content) : undefined;
    if (result === null) {
      await file.write(content);
      this.#parked.add(order.id);
      return;
    }
    await this.#keep(agent, order.id, { state: 'ended', result });
    this.#say(
      result.type === 'job_failed' ? 'warn' : 'info',
      `${order.do.type}: ${result.type}`,
      agent,
    );
    this.#ended(agent, result);
  }

  /** Null: it is a gate, and its agent is paused. */
  async #try(agent: Agent, order: JobOrder, signal: AbortSignal): Promise<JobResult | null> {
    const { id } = order;
    if (order.do.type !== 'gate') return this.#context.carryOut(agent, order, signal);
    try {
      while (!this.#calledOff.has(id)) {
        if (isStill(agent)) return null;
        const own = new AbortController();
        this.#gates.set(id, own);
        try {
          return await this.#context.carryOut(agent, order, AbortSignal.any([signal, own.signal]));
        } catch (error) {
          if (signal.aborted || !own.signal.aborted) throw error;
        }
      }
      throw new Error(CALLED_OFF);
    } finally {
      this.#gates.delete(id);
      this.#calledOff.delete(id);
    }
  }

  #unpark(agent: Agent, job: JobId): void {
    if (!this.#parked.has(job) || this.#queued.has(job)) return;
    if (isStill(agent) && !this.#calledOff.has(job)) return;
    this.#parked.delete(job);
    this.#takeUp(agent, job);
  }

  #ended(agent: Agent, result: JobResult): void {
    const { job } = result;
    const file = new JobFile(agent.place.dir, job);
    this.#await(agent.thread, result, () => {
      this.#over.add(job);
      void this.#keep(agent, job, { state: 'stored' }, () => {
        this.#over.delete(job);
        file.prune();
      });
    });
  }

  /** Writes how far an ended job is; what finds no room is written later. Resolves after the first try. */
  #keep(
    agent: Agent,
    job: JobId,
    content: JobContent,
    kept = (): void => undefined,
  ): Promise<void> {
    const { signal } = this.#abortOf(agent);
    const file = new JobFile(agent.place.dir, job);
    const write = async (): Promise<void> => {
      if (signal.aborted) return kept();
      try {
        await file.write(content);
      } catch (error) {
        // One that is stored is not to be done again: no file is better than an old one.
        if (content.state === 'stored') rmSync(file.path, { force: true });
        throw error;
      }
      kept();
    };
    return new Promise((resolve) => {
      const tried = (): void => resolve();
      this.#retries.run(
        `${job} file`,
        () => write().finally(tried),
        (error) => this.#warn(agent, error),
      );
    });
  }

  #await(thread: ThreadId, result: JobResult, stored: () => void): void {
    this.#untold.set(result.job, { thread, result, stored });
    this.#context.send({ t: 'done', thread, result });
  }

  #abortOf({ thread }: Agent): AbortController {
    const known = this.#aborts.get(thread) ?? new AbortController();
    this.#aborts.set(thread, known);
    return known;
  }

  #warn(agent: Agent, error: unknown): void {
    this.#say('warn', reasonOf(error).slice(0, 500), agent);
  }

  #say(level: 'info' | 'warn', message: string, { thread }: Agent): void {
    this.#context.log({ level, event: 'job', message, thread });
  }
}
