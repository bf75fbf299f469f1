import {
  type AttachmentRef,
  type AgentInput,
  asksForWork,
  type DecisionCreate,
  type Delivery,
  FilepathError,
  type GatewayBody,
  type GivenMemory,
  healthMessage,
  type InputLine,
  type JobId,
  type JobResult,
  type JobWork,
  memoriesMessage,
  type MessageId,
  owes,
  type QueuedMessage,
  type RunnerBody,
  type RunnerHealth,
  type SpoolLine,
  stalledFor,
  type SystemBody,
  type SystemWorkers,
  type ThreadId,
  type Touched,
} from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import { attempt } from '../result.ts';
import type { Ruled } from '../user/rules.ts';
import { Appender } from './appender.ts';
import { askedNote } from './asked.ts';
import { appendCall } from './call-run.ts';
import { takeDrafts } from './drafts.ts';
import { attachmentsFor, told } from './files.ts';
import { beginGate, callOffGate, tellFailure, withTask } from './gate.ts';
import { checkBacklog, give } from './give.ts';
import { goOnAfterEnd } from './go-on.ts';
import {
  askForHandoff,
  endRequest,
  holdRequest,
  requestDue,
  settleRequest,
} from './handoff-request.ts';
import type { Hashing } from './hashing.ts';
import { endJob, isOpen, keepGates, orderJob } from './jobs.ts';
import {
  addInput,
  markWritten,
  orderEnd,
  orderFreeze,
  orderGo,
  orderStart,
  orderStop,
  readInputs,
  withdrawStart,
} from './launch.ts';
import { appendLines, type Delta, type Offloaded, type SpawnFailed } from './lines.ts';
import { forgetLimit, letGo } from './last-limit.ts';
import { limitByGateway } from './limit.ts';
import type { Stored } from './log-table.ts';
import { putOutbox, type StatusNote } from './outbox.ts';
import type { Pause } from './pause.ts';
import { questionOf } from './memory-question.ts';
import { noteAnswer, openQuestion } from './questions.ts';
import { deliverQueued, enqueue, readQueue, requeue, waitsInQueue, withdraw } from './queue.ts';
import { handOffAtRest, isFresh, relayAfterEnd, restart, startNext, tellRelay } from './relay.ts';
import type { ChildState } from './relay-message.ts';
import { callOffResult, noteStopped } from './result-note.ts';
import { CONTENT_TABLES } from './schema.ts';
import { FRESH, isAtWork, isPlain, type ThreadMeta, type ThreadState } from './state.ts';

export type ThreadDeps = { sql: Sql; hashing: Hashing; now: () => number };

/** What a process is given by its session when it may start. */
export type Given = {
  readonly children?: readonly ChildState[];
  readonly memories?: readonly GivenMemory[];
};

/** What a change made visible: the caller sends it when the transaction is done. */
export type Effects = {
  seq: number;
  stored: Stored[];
  deltas: Delta[];
  inputs: InputLine[];
};

/** A thread: log, runs, receipts, drafts, and the process that the log comes from. */
export class Thread {
  #deps: ThreadDeps;
  #state: ThreadState;
  #meta: ThreadMeta;

  constructor(deps: ThreadDeps, meta: ThreadMeta) {
    this.#deps = deps;
    this.#meta = meta;
    this.#state = readValue<ThreadState>(deps.sql, 'state') ?? FRESH;
  }

  get meta(): ThreadMeta {
    return this.#meta;
  }

  get state(): ThreadState {
    return this.#state;
  }

  /** What its session is told of it. */
  get status(): StatusNote {
    return statusNoteOf(this.#state);
  }

  /** `parent`: null for a root. */
  configure(
    change: Pick<ThreadMeta, 'name' | 'model' | 'config'>,
    parent: ThreadMeta['parent'] | null,
  ): void {
    const { parent: _before, ...rest } = this.#meta;
    const meta = { ...rest, ...change, ...(parent && { parent }) };
    writeValue(this.#deps.sql, 'meta', meta);
    this.#meta = meta;
  }

  /** A message is stored first; then it is given to the running process, or a process is ordered for it. */
  message(
    from: 'user' | 'parent',
    content: string,
    key: string | null,
    deliver: Delivery | null = 'now',
    files: readonly AttachmentRef[] = [],
  ): Effects {
    const known = key === null ? null : this.#seqOf(key);
    if (known !== null) return { ...nothing(known) };
    const { launch, lifecycle } = this.#state;
    const ends = launch.active && launch.stopping && (!lifecycle.handing || lifecycle.stopped);
    if (ends && from === 'parent') {
      throw new FilepathError(
        'conflict',
        `${this.#meta.name} is stopping: send the message again when it has stopped`,
      );
    }
    if (from === 'parent' && lifecycle.stopped) {
      throw new FilepathError(
        'conflict',
        `${this.#meta.name} is stopped, and only a person can let it go on: give the work to another agent, or do it yourself`,
      );
    }
    const { sql } = this.#deps;
    const attachments = attachmentsFor(sql, files);
    if (from === 'user' && (ends || waitsInQueue(this.#meta, this.#state, deliver))) {
      return this.#change((appender) => {
        const seq = enqueue(sql, appender, content, attachments);
        if (ends) appender.state.wakes ??= seq;
        if (key !== null) this.#keep(key, seq);
        return { seq };
      });
    }
    const message = {
      type: 'message',
      from,
      content,
      ...(attachments.length > 0 && { attachments }),
    } as const;
    const input = told(message);
    checkBacklog(sql, this.#meta.name, launch, input);
    return this.#change((appender) => {
      const seq = appender.append(from, message);
      if (key !== null) this.#keep(key, seq);
      if (from === 'user') appender.state.handoffs = 0;
      return { seq, inputs: give(sql, appender.state, input) };
    });
  }

  /** What waits for the end of the open run, in its order. */
  get queue(): QueuedMessage[] {
    return readQueue(this.#deps.sql);
  }

  requeue(id: MessageId, content: string): Effects {
    return this.#change((appender) => ({ seq: requeue(this.#deps.sql, appender, id, content) }));
  }

  withdraw(id: MessageId): Effects {
    return this.#change((appender) => ({ seq: withdraw(this.#deps.sql, appender, id) }));
  }

  /**
   * What became of a child's run, once per key. It joins the open run, or opens one where the agent takes messages for
   * that: a program that is started once more does its work once more. A stopped agent is told nothing.
   */
  result(child: { id: ThreadId; name: string }, content: string, key: string): Effects {
    const known = this.#seqOf(key);
    const { launch, lifecycle, fresh, seq: head } = this.#state;
    const plain = isPlain(this.#meta);
    const hears = !plain || (launch.active && lifecycle.open);
    const ends = launch.active && launch.stopping && !lifecycle.handing;
    // One that has handed off too often begins again by a person's word only.
    const spent = !launch.active && fresh === launch.epoch;
    if (known !== null || !hears || lifecycle.stopped || ends || spent) {
      return nothing(known ?? head);
    }
    const { sql } = this.#deps;
    const input = { type: 'message', from: 'child', child, content } as const;
    checkBacklog(sql, this.#meta.name, launch, input);
    return this.#change((appender) => {
      const seq = appender.append('system', { ...input, ...(plain && { aside: true }) });
      this.#keep(key, seq);
      return { seq, inputs: give(sql, appender.state, input) };
    });
  }

  signal(action: 'stop' | 'handoff'): Effects {
    const { launch } = this.#state;
    if (action === 'handoff' && !launch.active && launch.epoch > 0) return this.#handOffAtRest();
    if (action === 'handoff' && (!launch.active || launch.waits || launch.stopping)) {
      throw new FilepathError('conflict', `${this.#meta.name} is not running`);
    }
    return this.#change((appender) => {
      const { sql } = this.#deps;
      if (action === 'handoff') return askForHandoff(sql, appender);
      const seq = appender.append('user', { type: 'signal', action });
      // A stop ends a pause: its session tells it again where it still holds.
      appender.state.held = undefined;
      appender.state.wakes = undefined;
      forgetLimit(appender.state);
      noteStopped(sql, this.#state, seq);
      const { active, waits, stopping, epoch } = appender.state.launch;
      // A process that runs is ended together with what tests its work.
      if (!active || waits) callOffGate(sql, this.#meta, waits ? epoch - 1 : epoch);
      if (waits) withdrawStart(sql, appender.state);
      if (!active || waits || stopping) return { seq };
      return { seq, inputs: [orderStop(sql, this.#meta, appender.state)] };
    });
  }

  #handOffAtRest(): Effects {
    return this.#change((appender) => {
      const seq = appender.append('user', { type: 'signal', action: 'handoff' });
      handOffAtRest(this.#deps.sql, appender, seq);
      return { seq };
    });
  }

  /** When filepath hands off for an agent that was asked to; null: it is to do nothing. */
  get handoffDue(): number | null {
    return requestDue(this.#state);
  }

  /** That time has come. Said before it, or when nothing is asked any more, it changes nothing. */
  handoffOverdue(): Effects {
    const due = this.handoffDue;
    if (due === null || due > this.#deps.now()) return nothing(this.#state.seq);
    return this.#change((appender) => {
      endRequest(this.#deps.sql, appender);
      return {};
    });
  }

  /** Ends what runs; a fresh process begins with the last handoff, or with the first task. */
  restart(): Effects {
    return this.#change((appender) => {
      const { sql } = this.#deps;
      const seq = appender.append('user', { type: 'signal', action: 'restart' });
      // Its parent waits for the run that goes on.
      callOffResult(sql, seq);
      restart(sql, appender, this.#meta.name);
      return { seq };
    });
  }

  /** Holds the agent still, or lets it go on, as its session says. What holds already is not logged again. */
  hold(pause: Pause | null, by: Pause['by']): Effects {
    const held = pause === null ? undefined : JSON.stringify(pause);
    if (held === this.#state.held) return nothing(this.#state.seq);
    return this.#change((appender) => {
      const { sql } = this.#deps;
      const action = pause === null ? 'resume' : 'pause';
      appender.state.held = held;
      if (pause === null) letGo(appender.state, appender.now, by);
      const { reason = null, until = null } = pause ?? {};
      const seq = appender.append(by, {
        type: 'signal',
        action,
        ...(reason === null ? {} : { reason }),
        ...(until === null ? {} : { until }),
      });
      holdRequest(appender, pause !== null);
      const { active, waits, stopping } = appender.state.launch;
      const runs = active && !waits && !stopping;
      // What tests the work of a process that has ended stands still as well.
      const tested = !active && (appender.state.lifecycle.gate ?? null) !== null;
      if (runs || tested) orderFreeze(sql, this.#meta, appender.state, seq, pause !== null);
      if (!runs) return { seq };
      return { seq, inputs: [addInput(sql, appender.state, { type: 'signal', action })] };
    });
  }

  /** The session lets an epoch start. Said again, or of one that is not wanted any more, it changes nothing. Null: it is paused. */
  go(epoch: number, { children = [], memories = [] }: Given = {}): Effects | null {
    const { launch, seq, held } = this.#state;
    if (launch.epoch !== epoch || !launch.waits) return nothing(seq);
    if (held !== undefined) return null;
    return this.#change((appender) => {
      tellRelay(this.#deps.sql, appender, children);
      const { state } = appender;
      if (memories.length > 0) {
        appender.append('system', { type: 'memories', epoch, memories });
        const content = memoriesMessage(memories);
        addInput(this.#deps.sql, appender.state, { type: 'message', from: 'system', content });
      }
      orderGo(this.#deps.sql, this.#meta, state);
      keepGates(this.#deps.sql, this.#meta, state);
      return {};
    });
  }

  /** What memory is asked for an epoch that may go; null for any other. */
  taskOf(epoch: number): string | null {
    const { launch, held } = this.#state;
    if (launch.epoch !== epoch || !launch.waits || held !== undefined) return null;
    return questionOf(this.#deps.sql, this.#state);
  }

  /** What a person has decided goes to the process that asked. The log says what it was about. */
  decide(id: string, answer: DecisionCreate): Effects {
    const { sql } = this.#deps;
    const { hash } = openQuestion(sql, this.#state.launch, id, answer);
    const { choice, input } = answer;
    const decision = {
      type: 'decision',
      id,
      choice,
      ...(input === undefined ? {} : { input }),
    } as const;
    return this.#change((appender) => {
      const seq = appender.append('user', { ...decision, ...(hash === undefined ? {} : { hash }) });
      noteAnswer(sql, id, seq);
      return { seq, inputs: [addInput(sql, appender.state, decision)] };
    });
  }

  /** A rule of the person answers. What is not asked any more, or was answered meanwhile, stays as it is. */
  decideByRule({ id, choice, rule }: Ruled): Effects {
    const { sql } = this.#deps;
    const asked = attempt(() => openQuestion(sql, this.#state.launch, id, { choice }));
    if (!asked.ok) return nothing(this.#state.seq);
    const { hash } = asked.value;
    const about = hash === undefined ? {} : { hash };
    return this.#change((appender) => {
      const decision = { type: 'decision', id, choice } as const;
      const seq = appender.append('system', { ...decision, ...about, rule });
      noteAnswer(sql, id, seq);
      return { seq, inputs: [addInput(sql, appender.state, decision)] };
    });
  }

  /** What the control plane did, once per key. */
  system(body: SystemBody, key: string): Effects {
    return this.notice(body, key, null);
  }

  /** A refusal is in the log once, and in words on the agent's stdin while its run is open. */
  spawnFailed(body: SpawnFailed, key: string): Effects {
    return this.notice(body, key, notStarted(body));
  }

  /** How the children are, if anything of it is another than told last. */
  workers(body: SystemWorkers): Effects {
    const { sql } = this.#deps;
    const told = JSON.stringify(body.workers);
    if (readValue<string>(sql, 'workers') === told) return nothing(this.#state.seq);
    return this.#change((appender) => {
      writeValue(sql, 'workers', told);
      return { seq: appender.append('system', body) };
    });
  }

  /** As `system`. A process that is at work is told in words too; without a body it is told these alone. */
  notice(body: SystemBody | null, key: string, words: string | null): Effects {
    const known = this.#seqOf(key);
    if (known !== null) return nothing(known);
    return this.#change((appender) => {
      const seq = body === null ? appender.state.seq : appender.append('system', body);
      this.#keep(key, seq);
      return { seq, inputs: words === null ? [] : this.#tell(appender, words) };
    });
  }

  /** What the agent changed is the session's to compare. */
  touched(note: Touched): void {
    putOutbox(this.#deps.sql, 'touched', { kind: 'touched', note });
  }

  /** What the gateway metered or refused, in order, once per key. It says nothing about the agent itself. */
  gateway(events: readonly { key: string; body: GatewayBody }[]): Effects {
    const fresh = events.filter(({ key }) => this.#seqOf(key) === null);
    if (fresh.length === 0) return nothing(this.#state.seq);
    return this.#change((appender) => {
      for (const { key, body } of fresh) {
        const { sql } = this.#deps;
        const seq =
          body.type === 'call' ? appendCall(sql, appender, body) : appender.append('gateway', body);
        this.#keep(key, seq);
        limitByGateway(this.#deps.sql, appender, body);
      }
      return {};
    });
  }

  /** Orders work on the agent's workspace. Its result comes into the log. */
  job(work: JobWork): JobId {
    const { sql, now } = this.#deps;
    return sql.transaction(() => orderJob(sql, this.#meta, this.#state, work, now()));
  }

  /** Adds the result of a job, once. One that nobody asked for adds nothing. */
  jobDone(result: JobResult): Effects {
    const { sql } = this.#deps;
    if (!isOpen(sql, result.job)) return nothing(this.#state.seq);
    const { gate } = this.#state.lifecycle;
    return this.#change((appender) => {
      endJob(sql, result.job);
      if (result.type === 'merged' || result.type === 'conflict') {
        putOutbox(sql, `merge:${result.job}`, { kind: 'merge', note: result });
      } else if (result.type === 'job_failed' && result.work === 'merge') {
        putOutbox(sql, `merge:${result.job}`, { kind: 'merge_failed', note: { job: result.job } });
      }
      const seq = appender.append('system', result);
      const { lifecycle } = appender.state;
      if (result.type !== 'gate' || gate?.job !== result.job || !lifecycle.open) return { seq };
      return { seq, inputs: tellFailure(sql, appender, result, gate.attempts) };
    });
  }

  /** A batch of the spool. What is stored already is skipped; a gap asks the runner to resume. */
  lines(from: number, lines: readonly SpoolLine[], offloaded: Offloaded): Effects | 'resync' {
    const { offset } = this.#state.launch;
    if (from > offset) return 'resync';
    const fresh = lines.filter(([end]) => end > offset);
    if (fresh.length === 0) return nothing(this.#state.seq);
    return this.#change((appender) => {
      const { deltas, refused } = appendLines(this.#deps.sql, appender, fresh, offloaded);
      return { deltas, inputs: refused.flatMap((one) => this.#tell(appender, notStarted(one))) };
    });
  }

  /** What the runner observed of the current epoch, in order, once. */
  observed(id: number, body: RunnerBody): Effects | 'resync' {
    const { observed } = this.#state.launch;
    if (id <= observed) return nothing(this.#state.seq);
    if (id > observed + 1) return 'resync';
    return this.#change((appender) => {
      const { state } = appender;
      state.launch.observed = id;
      if (body.type === 'silent') return this.#silence(appender, body);
      if (body.type === 'exit' || body.type === 'refused') {
        for (const { id: draft, content } of takeDrafts(this.#deps.sql)) {
          appender.append('fap', { type: 'text', id: draft, content, truncated: true });
        }
        state.drafts = [];
        state.launch.active = false;
      }
      appender.append('runner', body);
      if (body.type === 'head') state.handoffs = 0;
      if (!state.launch.active) {
        const { sql } = this.#deps;
        if (relayAfterEnd(sql, appender, this.#meta.name) || goOnAfterEnd(sql, appender)) return {};
      }
      if (body.type === 'health') return { inputs: this.#tellHealth(appender, body) };
      if (body.type === 'exit' && body.reason === 'exited' && body.code === 0) {
        this.#startAgain(appender);
      }
      return {};
    });
  }

  written(input: number): void {
    const { sql } = this.#deps;
    const { launch } = this.#state;
    if (input <= launch.written) return;
    const state = { ...this.#state, launch: { ...launch, written: input } };
    sql.transaction(() => {
      markWritten(sql, launch.epoch, input);
      writeValue(sql, 'state', state);
    });
    this.#state = state;
  }

  /** The first home to speak for an epoch has it: says whether it is this one. */
  claim(home: string): boolean {
    const { launch } = this.#state;
    if (launch.home !== undefined) return launch.home === home;
    const state = { ...this.#state, launch: { ...launch, home } };
    writeValue(this.#deps.sql, 'state', state);
    this.#state = state;
    return true;
  }

  pendingInputs(after: number): InputLine[] {
    return readInputs(this.#deps.sql, this.#state.launch.epoch, after);
  }

  /** Deletes the content and orders the home away. */
  erase(): void {
    const { sql } = this.#deps;
    sql.transaction(() => {
      for (const table of CONTENT_TABLES) sql.run(`DELETE FROM ${table}`);
      sql.run('DELETE FROM outbox');
      sql.run(`DELETE FROM meta WHERE key IN ('state', 'relay', 'tested')`);
      // What the delivery of the last order needs stays, without the agent's secrets.
      writeValue(sql, 'meta', { ...this.#meta, config: {}, apiKey: '' });
      const { thread, slug } = this.#meta;
      putOutbox(sql, 'remove', { kind: 'order', order: { kind: 'remove', thread, slug } });
    });
  }

  /** Silence matters where an answer is owed. The second time it ends the agent, unless its children may be at work. */
  #silence(appender: Appender, body: Extract<RunnerBody, { type: 'silent' }>): Partial<Effects> {
    const { state } = appender;
    const { silent, delegated } = state.lifecycle;
    if (!owes(state.lifecycle)) return {};
    appender.append('runner', body);
    if (silent && !delegated && !state.launch.stopping) {
      orderEnd(this.#deps.sql, this.#meta, state, stalledFor(body.seconds));
    }
    return {};
  }

  /** The agent is told how its workspace is. It is no task: it opens no run, and nothing is started for it. */
  #tellHealth(appender: Appender, body: RunnerHealth): InputLine[] {
    const content = healthMessage(body);
    return content === null ? [] : this.#tell(appender, content);
  }

  #tell(appender: Appender, content: string): InputLine[] {
    const { lifecycle, launch } = appender.state;
    // What is being tested has called its work done: words that ask for nothing do not take that back.
    if (!lifecycle.open || (lifecycle.gate ?? null) !== null) return [];
    if (!launch.active || launch.stopping) return [];
    const message = { type: 'message', from: 'system', content } as const;
    appender.append('system', message);
    return [addInput(this.#deps.sql, appender.state, message)];
  }

  /** Messages that a process ended without taking up begin the next epoch; its own task does not, for ever. */
  #startAgain(appender: Appender): void {
    const { sql } = this.#deps;
    const { state } = appender;
    const { epoch, heard } = state.launch;
    if (state.lifecycle.stopped) return;
    const inputs = readInputs(sql, epoch, Math.max(heard, 1))
      .map(({ line }) => JSON.parse(line) as AgentInput)
      // What the system told that process is told anew to the next one; what was decided was its question.
      .filter((input) => input.type !== 'decision')
      .filter(
        (input) =>
          input.type !== 'message' || input.from !== 'system' || asksForWork(input.content),
      )
      .filter((input) => input.type !== 'message' || input.from !== 'child' || !isPlain(this.#meta))
      .map((input) => withTask(sql, this.#meta, state, input));
    if (!inputs.some((input) => input.type === 'message')) return;
    // Nothing is tested while there is work to take up.
    if (!state.lifecycle.open || (state.lifecycle.gate ?? null) !== null) {
      const content = `${this.#meta.name} ended before it took up the last message, and is started again with it.`;
      appender.append('system', { type: 'message', from: 'system', content });
    }
    if (isFresh(state)) startNext(sql, state, []);
    else orderStart(sql, state, inputs);
  }

  #change(work: (appender: Appender) => Partial<Effects>): Effects {
    const { sql, hashing, now } = this.#deps;
    const before = this.#state;
    const { state, stored, result, inputs } = sql.transaction(() => {
      const appender = new Appender(sql, hashing, this.#meta, before, now());
      const result = work(appender);
      beginGate(sql, this.#meta, appender, now());
      const inputs = [...(result.inputs ?? []), ...deliverQueued(sql, appender, before)];
      settleRequest(appender);
      this.#note(appender, before);
      const state = appender.finish();
      this.#noteAsked(state, before);
      return { state, stored: appender.stored, result, inputs };
    });
    this.#state = state;
    return { seq: state.seq, deltas: [], ...result, inputs, stored };
  }

  #note({ state }: Appender, before: ThreadState): void {
    const { status, reason, contextPct, stopped } = state.lifecycle;
    const old = before.lifecycle;
    const open = isAtWork(state);
    if (
      status === old.status &&
      reason === old.reason &&
      contextPct === old.contextPct &&
      stopped === old.stopped &&
      state.failed?.seq === before.failed?.seq &&
      open === isAtWork(before)
    ) {
      return;
    }
    putOutbox(this.#deps.sql, 'status', { kind: 'status', note: statusNoteOf(state) });
  }

  /** The person is told of what is asked, and of what is asked no more. */
  #noteAsked(state: ThreadState, before: ThreadState): void {
    const { sql, hashing } = this.#deps;
    const [now, old] = [state, before].map(({ lifecycle }) => lifecycle.questions ?? []);
    if (now?.length === old?.length && now?.every((id, at) => id === old?.[at])) return;
    putOutbox(sql, 'asked', { kind: 'asked', note: askedNote(sql, hashing, this.#meta, state) });
  }

  #seqOf(key: string): number | null {
    const row = first<{ seq: number }>(this.#deps.sql, 'SELECT seq FROM keys WHERE key = ?', key);
    return row?.seq ?? null;
  }

  #keep(key: string, seq: number): void {
    this.#deps.sql.run('INSERT INTO keys (key, seq) VALUES (?, ?)', key, seq);
  }
}

function statusNoteOf(state: ThreadState): StatusNote {
  const { seq, failed } = state;
  const { status, reason, contextPct, stopped } = state.lifecycle;
  return { seq, status, reason, contextPct, stopped, open: isAtWork(state), failed };
}

function nothing(seq: number): Effects {
  return { seq, stored: [], deltas: [], inputs: [] };
}

const notStarted = ({ name, reason }: SpawnFailed): string =>
  `The agent "${name}" that you asked for was not started: ${reason}.`;
