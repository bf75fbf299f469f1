import { type FSWatcher, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import type {
  FreezeOrder,
  InputLine,
  RunnerBody,
  RunnerId,
  StartOrder,
  StopOrder,
} from '@filepath/protocol';
import { type Availability, type Executor, type Place, Refusal } from '../executor/executor.ts';
import { neverStarts, shimOf } from '../executor/process-files.ts';
import { createExclusive, readText, writeDurable } from '../files.ts';
import { HeadLog } from '../git/head-log.ts';
import type { RunDir } from '../home.ts';
import { AgentLink } from '../link/agent-link.ts';
import { type Log, reasonOf, type RunnerLog } from '../log.ts';
import { SpoolFeed } from '../spool/feed.ts';
import { PumpGate } from '../spool/pump-gate.ts';
import { Redactor } from '../spool/redactor.ts';
import { exitBody } from './exit.ts';
import { ObservedFile } from './observed-file.ts';
import { Pauser } from './pauser.ts';
import { StdinFile } from './stdin-file.ts';
import { readStop, recordStop } from './stop-file.ts';
import { startAgent } from './starter.ts';
import { Stopper } from './stopper.ts';

const TICK_MS = 500;
const STOPPED_EARLY = 'stopped before it started';

export type EpochContext = {
  order: StartOrder;
  place: Place;
  run: RunDir;
  executor: Executor;
  availability: Availability;
  link: { url: string; token: string; runner: RunnerId; reconnectMs: number };
  log: Log;
  /** Most that may wait to be stored before the agent is ended. */
  backlogBytes: number;
  /** Ends the processes of earlier epochs of this agent: one process has the workspace. */
  endEarlier(): Promise<void>;
  /** The process is gone. */
  onEnded(): void;
  /** The worker has everything. */
  onOver(): void;
};

/**
 * One start of an agent, from the order to the worker's `over`. What it knows is on disk; made again from
 * there, it goes on wherever a kill has left it.
 */
export class Epoch {
  readonly #context: EpochContext;
  readonly #redactor: Redactor;
  readonly #stdin: StdinFile;
  readonly #observed: ObservedFile;
  readonly #spool: SpoolFeed;
  readonly #gate: PumpGate;
  readonly #link: AgentLink;
  readonly #stopper: Stopper;
  readonly #pauser: Pauser;
  #heads: HeadLog | null = null;
  readonly #givenUp = new AbortController();
  #watcher: FSWatcher | null = null;
  #tick: NodeJS.Timeout | null = null;
  #bringing: Promise<void> | null = null;
  #ending: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #closed = false;

  /** The order's file exists. */
  constructor(context: EpochContext) {
    const { order, run } = context;
    this.#context = context;
    this.#redactor = new Redactor([order.apiKey, ...Object.values(order.config.envVars ?? {})]);
    this.#stdin = new StdinFile(run.stdin);
    this.#stdin.append(order.inputs);
    this.#observed = new ObservedFile(run.observed);
    this.#spool = new SpoolFeed(run.spool, this.#redactor, context.backlogBytes);
    this.#gate = new PumpGate(run.pump, () => shimOf(run)?.pid ?? null);
    this.#stopper = new Stopper(context.executor, run);
    this.#pauser = new Pauser(context.executor, run);
    const identity = { thread: order.thread, epoch: order.epoch, log: context.log };
    this.#link = new AgentLink(
      { ...context.link, ...identity },
      {
        readable: () => this.#observed.has('started'),
        resume: (offset, observed) => {
          this.#spool.seek(offset);
          this.#spool.acknowledged(offset);
          this.#observed.catchUp(observed);
        },
        next: () => this.#spool.next(this.#observed.terminal !== null),
        exhausted: () => this.#observed.terminal !== null,
        observations: () => this.#observed.count,
        observation: (id) => this.#observed.at(id),
        inputs: () => this.#stdin.count,
        input: (line: InputLine) => this.#stdin.append([line]),
        acknowledged: (offset) => {
          this.#spool.acknowledged(offset);
          this.#gate.update(this.#spool.waiting());
        },
        over: (reason) => void this.#guard(this.#over(reason)),
      },
    );
  }

  open(): void {
    this.#link.open();
    try {
      this.#watcher = watch(this.#context.run.path, (_event, name) => this.#changed(name));
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch (error) {
      this.#say('warn', 'fault', `cannot watch the run directory: ${reasonOf(error)}`);
    }
    this.#tick = setInterval(() => this.#safely(() => this.#check()), TICK_MS);
    if (readStop(this.#context.run.stop) !== null) this.#armStop();
    this.#step();
  }

  /** Stops watching and telling. The process stays. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.#gate.open();
    this.#link.close();
    this.#watcher?.close();
    if (this.#tick !== null) clearInterval(this.#tick);
    this.#heads?.close();
    this.#stopper.cancel();
    this.#givenUp.abort();
    await this.#bringing;
    await this.#ending;
    this.#spool.close();
    this.#observed.close();
  }

  /** Resolves when the stop will happen whatever becomes of this runner. */
  async stop(order: StopOrder): Promise<void> {
    await recordStop(this.#context.run.stop, order.graceMs);
    try {
      this.#stdin.append(order.inputs);
    } catch (error) {
      this.#say('error', 'fault', reasonOf(error));
    }
    this.#armStop();
  }

  freeze(order: FreezeOrder): Promise<void> {
    return this.#pauser.take(order);
  }

  /** Ends the process, or keeps it from ever starting. */
  async end(reason: string): Promise<void> {
    const { run, executor } = this.#context;
    if (!this.#claim(reason)) this.#kill();
    this.#givenUp.abort();
    await executor.settle(run);
    this.#step();
  }

  #armStop(): void {
    if (this.#observed.terminal !== null) return;
    if (this.#claim(STOPPED_EARLY)) {
      this.#givenUp.abort();
      this.#step();
    } else {
      this.#gate.open();
      this.#safely(() => this.#pauser.release());
      this.#stopper.arm();
    }
  }

  /** What is held still may not even be killed. */
  #kill(): void {
    const { run, executor } = this.#context;
    this.#safely(() => this.#pauser.release());
    executor.kill(run);
  }

  /** Takes the place of the process that has not started: none will. */
  #claim(reason: string): boolean {
    const shown = this.#redactor.redact(reason).replaceAll('\n', ' ').slice(0, 4000);
    return createExclusive(this.#context.run.pid, neverStarts(shown));
  }

  #changed(name: string | null): void {
    if (this.#closed) return;
    if (name === 'spool') {
      this.#safely(() => {
        this.#link.pump();
        this.#gate.update(this.#spool.waiting());
      });
    }
    if (name === 'pid' || name === 'exit' || name === 'status.json') this.#step();
  }

  #check(): void {
    const { run, executor } = this.#context;
    this.#link.check();
    if (this.#observed.terminal === null) {
      this.#gate.update(this.#spool.waiting());
      const limit = this.#spool.excess();
      if (limit !== null && executor.state(run).at === 'alive') {
        writeFileSync(run.limit, limit, { mode: 0o600 });
        this.#say('warn', 'killed', limit);
        this.#kill();
      }
      this.#step();
    }
    this.#link.pump();
  }

  /** Looks at the process and does what follows. */
  #step(): void {
    this.#safely(() => {
      if (this.#closed || this.#ending !== null || this.#observed.terminal !== null) return;
      this.#look();
    });
  }

  #look(): void {
    const { run, executor, order } = this.#context;
    const state = executor.state(run);
    if (state.at === 'none') {
      this.#bringing ??= this.#bring().then(() => this.#step());
      return;
    }
    if (state.at === 'never') {
      const { reason } = state;
      return this.#end(() => ({ type: 'refused', epoch: order.epoch, reason }));
    }
    if (!this.#observed.has('started')) {
      this.#observe({ type: 'started', epoch: order.epoch, executor: executor.kind });
      this.#say('info', 'started', 'the agent runs');
    }
    if (statSync(run.status, { throwIfNoEntry: false })?.size) rmSync(run.args, { force: true });
    this.#heads ??= this.#headLog();
    if (state.at === 'alive') {
      this.#pauser.apply();
      this.#heads.look();
      return;
    }
    this.#end(() => {
      const stopped = readStop(run.stop) !== null;
      const limit = readText(run.limit);
      const more = { stopped, limit, stderrPath: run.stderr, redactor: this.#redactor };
      return exitBody({ epoch: order.epoch, state, ...more });
    });
  }

  #headLog(): HeadLog {
    const { place, run } = this.#context;
    return new HeadLog({
      agentDir: place.dir,
      run,
      told: this.#observed.all(),
      observe: (body) => this.#observe(body),
      redact: (text) => this.#redactor.redact(text),
      changed: () => this.#step(),
    });
  }

  async #bring(): Promise<void> {
    try {
      await startAgent({
        ...this.#context,
        observed: this.#observed,
        signal: this.#givenUp.signal,
        observe: (body) => this.#observe(body),
        gone: () => this.#gone(),
      });
    } catch (error) {
      if (this.#closed) return;
      if (!(error instanceof Refusal)) this.#say('error', 'fault', reasonOf(error));
      if (this.#claim(reasonOf(error))) this.#say('warn', 'refused', reasonOf(error).slice(0, 500));
    }
  }

  /** A shim has ended: one that lost to another leaves the other's pid file, one that failed leaves none. */
  #gone(): void {
    if (this.#closed) return;
    this.#claim('the agent could not be started: its parent process failed at once');
    this.#step();
  }

  #observe(body: RunnerBody): void {
    void this.#guard(this.#observed.append(body));
    this.#link.pump();
  }

  /** Records the terminal observation when nothing of the process is left. What fails is tried again. */
  #end(last: () => RunnerBody): void {
    const { run, executor } = this.#context;
    this.#stopper.cancel();
    const work = async (): Promise<void> => {
      await executor.settle(run);
      if (this.#closed) return;
      this.#safely(() => this.#heads?.finish());
      const body = last();
      await this.#observed.append(body);
      this.#say('info', 'exited', body.type === 'exit' ? body.reason : 'refused');
      this.#link.pump();
      if (body.type === 'exit') this.#context.onEnded();
    };
    this.#ending = this.#guard(work()).finally(() => {
      this.#ending = null;
    });
  }

  async #over(reason: 'ended' | 'fenced' | 'deleted'): Promise<void> {
    const { run } = this.#context;
    this.#link.close();
    if (this.#observed.terminal === null) await this.end(`the epoch was ${reason}`);
    await writeDurable(run.over, reason);
    for (const path of [run.order, run.args, run.spool]) rmSync(path, { force: true });
    this.#say('info', 'over', reason);
    await this.close();
    this.#context.onOver();
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#say('error', 'fault', reasonOf(error));
    }
  }

  #guard(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.#say('error', 'fault', reasonOf(error)));
  }

  #say(level: RunnerLog['level'], event: RunnerLog['event'], message: string): void {
    const { thread, epoch } = this.#context.order;
    this.#context.log({ level, event, message, thread, epoch });
  }
}
