import { type FSWatcher, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import type {
  AgentEntry,
  FreezeOrder,
  InputLine,
  RunnerBody,
  RunnerId,
  StartOrder,
  StopOrder,
  ThreadId,
} from '@filepath/protocol';
import type { ProvidedFiles } from '../catalog/provided.ts';
import type { Gateways } from '../egress/gateways.ts';
import { type Availability, type Executor, type Place, Refusal } from '../executor/executor.ts';
import type { Image } from '../executor/executors.ts';
import { neverStarts } from '../executor/process-files.ts';
import type { FreeSpace } from '../disk/free-space.ts';
import type { DiskQuota } from '../disk/quota.ts';
import { createExclusive, isDiskFull, readText, writeDurable } from '../files.ts';
import { HeadLog } from '../git/head-log.ts';
import type { RunDir } from '../home.ts';
import { bringFiles } from '../inbox/bring-files.ts';
import { FilesFirst } from '../inbox/files-first.ts';
import { AgentLink } from '../link/agent-link.ts';
import { type Log, reasonOf, type RunnerLog } from '../log.ts';
import { actIn } from '../spool/acts.ts';
import { Credit } from '../spool/credit.ts';
import { SpoolFeed } from '../spool/feed.ts';
import { Retries } from '../retries.ts';
import { Redactor } from '../spool/redactor.ts';
import { EpochGateway } from './epoch-gateway.ts';
import { exitBody } from './exit.ts';
import { ObservedFile } from './observed-file.ts';
import { Pauser, type Standstill } from './pauser.ts';
import { PendingInputs } from './pending-inputs.ts';
import { isMessage, StdinFile, toldAfter } from './stdin-file.ts';
import { readStop, recordStop } from './stop-file.ts';
import { startAgent } from './starter.ts';
import { Stopper } from './stopper.ts';
import { StoredWait } from './stored-wait.ts';
import { Upkeep } from './upkeep.ts';

const TICK_MS = 500;
const AGAIN_MS = 1_000;
/** How long a start waits for the worker to take up what was found before it. */
const TELL_MS = 2_000;
const NOT_STILL: Standstill = { kept: () => false, end: async () => undefined };
const STOPPED_EARLY = 'stopped before it started';

export type EpochContext = {
  order: StartOrder;
  /** Null: nobody here knows the type. */
  entry: AgentEntry | null;
  provided: ProvidedFiles;
  place: Place;
  run: RunDir;
  executor: Executor;
  image: Image;
  availability: Availability;
  gateways: Gateways;
  link: { url: string; token: string; runner: RunnerId; reconnectMs: number; home: string };
  log: Log;
  disk: FreeSpace;
  quota: DiskQuota;
  /** How long an agent may be silent before that is told. */
  silenceMs: number;
  /** Most that may wait to be stored before the agent is ended. */
  backlogBytes: number;
  /** Ends the processes of earlier epochs of this agent: one process has the workspace. */
  endEarlier(): Promise<void>;
  /** Where another agent lives, if its home is here. */
  placeOf(thread: ThreadId): Place | null;
  /** HEAD of its workspace moved, or a run is over. */
  onMoved(): void;
  /** The agent did something while it works. */
  onActed(): void;
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
  readonly #inputs: PendingInputs;
  readonly #files: FilesFirst;
  readonly #observed: ObservedFile;
  readonly #spool: SpoolFeed;
  readonly #credit: Credit;
  readonly #link: AgentLink;
  readonly #stopper: Stopper;
  readonly #pauser: Pauser;
  readonly #upkeep: Upkeep;
  readonly #lastTries = new Retries();
  readonly #gateway: EpochGateway;
  readonly #stored = new StoredWait();
  #heads: HeadLog | null = null;
  readonly #givenUp = new AbortController();
  #watcher: FSWatcher | null = null;
  #tick: NodeJS.Timeout | null = null;
  #bringing: Promise<void> | null = null;
  #ending: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #closed = false;
  #limit: string | null = null;
  #again: NodeJS.Timeout | null = null;
  #unwatch: () => void = () => undefined;

  /** The order's file exists. */
  constructor(context: EpochContext) {
    const { order, run } = context;
    this.#context = context;
    this.#redactor = new Redactor([order.apiKey, ...Object.values(order.config.envVars ?? {})]);
    this.#stdin = new StdinFile(run.stdin);
    this.#stdin.append(order.inputs);
    this.#inputs = new PendingInputs(this.#stdin);
    const inbox = { thread: order.thread, place: context.place, worker: context.link };
    this.#files = new FilesFirst({
      ready: () => this.#gateway.listening,
      bring: (files, signal) => bringFiles(inbox, files, signal),
      write: (input) => {
        // What it is told it can take up, whatever is being tested.
        if (isMessage(input.line)) void this.#guard(this.#pauser.goOn());
        return this.#inputs.write(input);
      },
      written: (id) => this.#link.written(id),
      failed: (reason) => this.#say('warn', 'fault', reason),
    });
    this.#credit = new Credit(run.credit);
    this.#observed = new ObservedFile(run.observed);
    this.#spool = new SpoolFeed(run.spool, this.#redactor, context.backlogBytes, (line) =>
      this.#heard(line),
    );
    const failed = (error: unknown): void => this.#say('error', 'fault', reasonOf(error));
    this.#stopper = new Stopper(context.executor, run, {
      killed: () => this.#credit.open(),
      failed,
    });
    this.#pauser = new Pauser(context.executor, run);
    this.#gateway = new EpochGateway({
      ...context,
      denials: {
        told: this.#observed.all(),
        observe: (body) => {
          // What it asked for comes after its start.
          this.#step();
          this.#observe(body);
        },
        redact: (text) => this.#redactor.redact(text),
      },
      say: (level, text) => this.#say(level, 'egress', text),
    });
    this.#upkeep = new Upkeep({
      context,
      observed: this.#observed,
      stdin: this.#stdin,
      inputs: this.#inputs,
      spool: this.#spool,
      pauser: this.#pauser,
      still: (held) => void this.#guard(this.#pauser.hold(held)),
      observe: (body) => this.#observe(body),
      written: (input) => this.#link.written(input),
      more: () => this.#link.pump(),
      say: (level, event, message) => this.#say(level, event, message),
    });
    const identity = { thread: order.thread, epoch: order.epoch, log: context.log };
    this.#link = new AgentLink(
      { ...context.link, ...identity },
      {
        readable: () => this.#observed.has('started'),
        resume: (offset, observed) => {
          this.#spool.seek(offset);
          this.#spool.acknowledged(offset);
          this.#observed.catchUp(observed);
          this.#stored.note(observed);
        },
        next: () => this.#spool.next(this.#observed.terminal !== null),
        exhausted: () => this.#observed.terminal !== null,
        observations: () => this.#observed.count,
        observation: (id) => this.#observed.at(id),
        inputs: () => this.#stdin.count,
        input: (line: InputLine) => this.#files.take(line),
        acknowledged: (offset, observed) => {
          this.#stored.note(observed);
          this.#spool.acknowledged(offset);
          this.#credit.update(this.#spool.credit());
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
    const { quota, place } = this.#context;
    this.#unwatch = quota.watch(place, (limit) => this.#safely(() => this.#killFor(limit)));
    this.#tick = setInterval(() => this.#safely(() => this.#check()), TICK_MS);
    if (readStop(this.#context.run.stop) !== null) this.#armStop();
    this.#step();
  }

  /** Stops watching and telling. The process stays. */
  close(): Promise<void> {
    this.#lastTries.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.#files.end();
    this.#link.close();
    this.#watcher?.close();
    if (this.#tick !== null) clearInterval(this.#tick);
    if (this.#again !== null) clearTimeout(this.#again);
    this.#unwatch();
    this.#heads?.close();
    this.#stopper.cancel();
    this.#givenUp.abort();
    await this.#bringing;
    await this.#ending;
    await this.#guard(this.#gateway.close());
    this.#spool.close();
    this.#observed.close();
  }

  /** Resolves when the stop will happen whatever becomes of this runner. A full disk does not keep it from happening now. */
  async stop(order: StopOrder): Promise<void> {
    const { run } = this.#context;
    if (order.limit !== undefined) this.#endedBy(order.limit);
    const unrecorded = await recordStop(run.stop, order).then(
      () => null,
      (error: unknown) => error,
    );
    if (unrecorded !== null && !isDiskFull(unrecorded)) throw unrecorded;
    this.#files.end();
    try {
      for (const input of order.inputs) this.#inputs.write(input);
    } catch (error) {
      this.#say('error', 'fault', reasonOf(error));
    }
    this.#armStop(order.graceMs);
    if (unrecorded !== null) throw unrecorded;
  }

  freeze(order: FreezeOrder): Promise<void> {
    return this.#pauser.take(order);
  }

  /** Holds the process still while its work is tested, unless it was told something after its first `inputs` inputs. */
  async standStill(inputs: number): Promise<Standstill> {
    return toldAfter(this.#context.run.stdin, inputs) ? NOT_STILL : this.#pauser.standStill();
  }

  /** Ends the process, or keeps it from ever starting. */
  async end(reason: string): Promise<void> {
    const { run, executor } = this.#context;
    if (!this.#claim(reason)) await this.#guard(this.#kill());
    this.#givenUp.abort();
    await executor.settle(run);
    // The next epoch's socket has the same name.
    await this.#guard(this.#gateway.close());
    this.#step();
  }

  #armStop(graceMs: number | null = null): void {
    if (this.#observed.terminal !== null) return;
    if (this.#claim(STOPPED_EARLY)) {
      this.#givenUp.abort();
      this.#step();
    } else {
      this.#credit.extend(this.#spool.printed);
      void this.#guard(this.#pauser.release());
      this.#stopper.arm(graceMs);
    }
  }

  /** The first limit counts. It is kept in memory too: the disk may be full. */
  #endedBy(limit: string): void {
    this.#limit ??= readText(this.#context.run.limit) ?? limit;
    this.#safely(() => writeFileSync(this.#context.run.limit, this.#limit ?? '', { mode: 0o600 }));
  }

  /** What is held still may not even be killed. */
  async #kill(): Promise<void> {
    const { run, executor } = this.#context;
    await this.#guard(this.#pauser.release());
    await executor.kill(run);
    this.#credit.open();
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
        this.#credit.update(this.#spool.credit());
      });
    }
    if (name === 'pump') this.#safely(() => this.#upkeep.room());
    if (name === 'pid' || name === 'exit' || name === 'status.json') this.#step();
  }

  #check(): void {
    this.#link.check();
    if (this.#observed.terminal === null) {
      this.#credit.update(this.#spool.credit());
      const limit = this.#spool.excess();
      if (limit !== null) this.#killFor(limit);
      this.#upkeep.room();
      this.#upkeep.listen();
      this.#step();
    }
    this.#link.pump();
  }

  #killFor(limit: string): void {
    const { run, executor } = this.#context;
    if (executor.state(run).at !== 'alive') return;
    this.#endedBy(limit);
    this.#say('warn', 'killed', limit);
    void this.#guard(this.#kill());
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
      this.#gateway.settle();
      void this.#guard(this.#pauser.apply());
      this.#heads.look();
      return;
    }
    this.#end(() => {
      const stop = readStop(run.stop);
      const ended = this.#stopper.armed || stop !== null ? 'stopped' : null;
      const stopped = stop?.handoff ? 'handoff' : ended;
      const limit = this.#limit ?? readText(run.limit);
      const more = { stopped, limit, stderrPath: run.stderr, redactor: this.#redactor } as const;
      return exitBody({ epoch: order.epoch, state, ...more });
    });
  }

  #heard(line: string): void {
    const act = actIn(line);
    if (act === 'run-over') this.#context.onMoved();
    else if (act === 'acted') this.#context.onActed();
  }

  #headLog(): HeadLog {
    const { place, run } = this.#context;
    return new HeadLog({
      agentDir: place.dir,
      run,
      told: this.#observed.all(),
      observe: (body) => this.#observe(body),
      moved: () => this.#context.onMoved(),
      redact: (text) => this.#redactor.redact(text),
      changed: () => this.#step(),
    });
  }

  async #bring(): Promise<void> {
    try {
      await startAgent({
        ...this.#context,
        observed: this.#observed,
        gateway: this.#gateway,
        signal: this.#givenUp.signal,
        observe: (body) => this.#observe(body),
        stored: (count) => this.#stored.until(count, TELL_MS, this.#givenUp.signal),
        redact: (text) => this.#redactor.redact(text),
        gone: () => this.#gone(),
      });
      this.#upkeep.noRoom = false;
    } catch (error) {
      if (this.#closed) return;
      this.#upkeep.noRoom = isDiskFull(error);
      if (this.#upkeep.noRoom) return this.#bringLater();
      if (!(error instanceof Refusal)) this.#say('error', 'fault', reasonOf(error));
      this.#refuse(reasonOf(error));
    }
  }

  /** The disk was full. Whatever was begun is repeated. */
  #bringLater(): void {
    this.#again ??= setTimeout(() => {
      this.#again = null;
      this.#bringing = null;
      this.#step();
    }, AGAIN_MS);
  }

  #refuse(reason: string): void {
    try {
      if (this.#claim(reason)) this.#say('warn', 'refused', reason.slice(0, 500));
    } catch (error) {
      this.#say('error', 'fault', reasonOf(error));
      this.#upkeep.noRoom = isDiskFull(error);
      this.#bringLater();
    }
  }

  /** A shim has ended: one that lost to another leaves the other's pid file, one that failed leaves none. */
  #gone(): void {
    if (this.#closed) return;
    this.#refuse('the agent could not be started: its parent process failed at once');
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
      await this.#guard(this.#gateway.close());
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
    // The output first: on a full disk that makes the room for the rest.
    for (const path of [run.args, run.spool]) rmSync(path, { force: true });
    this.#closing ??= this.#close();
    await this.#closing;
    const last = async (): Promise<void> => {
      await writeDurable(run.over, reason);
      rmSync(run.order, { force: true });
      this.#say('info', 'over', reason);
      this.#context.onOver();
    };
    this.#lastTries.run('over', last, (error) => this.#say('error', 'fault', reasonOf(error)));
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
