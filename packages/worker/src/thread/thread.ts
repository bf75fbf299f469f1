import {
  type AgentInput,
  type DecisionCreate,
  encodeInput,
  FilepathError,
  type GatewayBody,
  healthMessage,
  type InputLine,
  type JobId,
  type JobResult,
  type JobWork,
  owes,
  type RunnerBody,
  type RunnerHealth,
  type SpoolLine,
  stalledFor,
  type SystemBody,
} from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import { Appender } from './appender.ts';
import { takeDrafts } from './drafts.ts';
import type { Hashing } from './hashing.ts';
import { endJob, isOpen, orderJob } from './jobs.ts';
import {
  addInput,
  backlog,
  markWritten,
  MAX_BACKLOG,
  orderEnd,
  orderFreeze,
  orderGo,
  orderStart,
  orderStop,
  readInputs,
  withdrawStart,
} from './launch.ts';
import { appendLines, type Delta, type Offloaded } from './lines.ts';
import type { Stored } from './log-table.ts';
import { putOutbox } from './outbox.ts';
import { noteAnswer, openQuestion } from './questions.ts';
import { CONTENT_TABLES } from './schema.ts';
import { FRESH, type ThreadMeta, type ThreadState } from './state.ts';

export type ThreadDeps = { sql: Sql; hashing: Hashing; now: () => number };

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

  configure(change: Partial<Pick<ThreadMeta, 'name' | 'model' | 'config'>>): void {
    const meta = { ...this.#meta, ...change };
    writeValue(this.#deps.sql, 'meta', meta);
    this.#meta = meta;
  }

  /** A message is stored first; then it is given to the running process, or a process is ordered for it. */
  message(from: 'user' | 'parent', content: string, key: string | null): Effects {
    const known = key === null ? null : this.#seqOf(key);
    if (known !== null) return { ...nothing(known) };
    const { launch, lifecycle } = this.#state;
    if (launch.active && launch.stopping) {
      throw new FilepathError(
        'conflict',
        `${this.#meta.name} is stopping: send the message again when it has stopped`,
      );
    }
    if (from === 'parent' && lifecycle.stopped) {
      throw new FilepathError('conflict', `${this.#meta.name} is stopped`);
    }
    const input: AgentInput = { type: 'message', from, content };
    const waiting = launch.active ? backlog(this.#deps.sql, launch) : 0;
    if (waiting > 0 && waiting + encodeInput(input).length > MAX_BACKLOG) {
      throw new FilepathError(
        'conflict',
        `${this.#meta.name} has not taken up its last messages: send this one when it has`,
      );
    }
    return this.#change((appender) => {
      const seq = appender.append(from, input);
      if (key !== null) this.#keep(key, seq);
      if (appender.state.launch.active) {
        return { seq, inputs: [addInput(this.#deps.sql, appender.state, input)] };
      }
      orderStart(this.#deps.sql, appender.state, [input]);
      return { seq };
    });
  }

  signal(action: 'stop' | 'pause' | 'resume' | 'handoff'): Effects {
    const { launch } = this.#state;
    if (action !== 'stop' && (!launch.active || launch.waits || launch.stopping)) {
      throw new FilepathError('conflict', `${this.#meta.name} is not running`);
    }
    return this.#change((appender) => {
      const { sql } = this.#deps;
      const seq = appender.append('user', { type: 'signal', action });
      if (action !== 'stop') {
        if (action !== 'handoff') {
          orderFreeze(sql, this.#meta, appender.state, seq, action === 'pause');
        }
        return { seq, inputs: [addInput(sql, appender.state, { type: 'signal', action })] };
      }
      const { active, waits, stopping } = appender.state.launch;
      if (waits) withdrawStart(sql, appender.state);
      if (!active || waits || stopping) return { seq };
      return { seq, inputs: [orderStop(sql, this.#meta, appender.state)] };
    });
  }

  /** The session lets an epoch start. Said again, or of one that is not wanted any more, it changes nothing. */
  go(epoch: number): Effects {
    const { launch, seq } = this.#state;
    if (launch.epoch !== epoch || !launch.waits) return nothing(seq);
    return this.#change(({ state }) => {
      orderGo(this.#deps.sql, this.#meta, state);
      return {};
    });
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

  /** What the control plane did, once per key. */
  system(body: SystemBody, key: string): Effects {
    const known = this.#seqOf(key);
    if (known !== null) return nothing(known);
    return this.#change((appender) => {
      const seq = appender.append('system', body);
      this.#keep(key, seq);
      return { seq };
    });
  }

  /** What the gateway metered or refused, once per key. It says nothing about the agent itself. */
  gateway(body: GatewayBody, key: string): Effects {
    const known = this.#seqOf(key);
    if (known !== null) return nothing(known);
    return this.#change((appender) => {
      const seq = appender.append('gateway', body);
      this.#keep(key, seq);
      return { seq };
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
    return this.#change((appender) => {
      endJob(sql, result.job);
      return { seq: appender.append('system', result) };
    });
  }

  /** A batch of the spool. What is stored already is skipped; a gap asks the runner to resume. */
  lines(from: number, lines: readonly SpoolLine[], offloaded: Offloaded): Effects | 'resync' {
    const { offset } = this.#state.launch;
    if (from > offset) return 'resync';
    const fresh = lines.filter(([end]) => end > offset);
    if (fresh.length === 0) return nothing(this.#state.seq);
    return this.#change((appender) => {
      return { deltas: appendLines(this.#deps.sql, appender, fresh, offloaded) };
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
      sql.run(`DELETE FROM meta WHERE key = 'state'`);
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
    const { lifecycle, launch } = appender.state;
    const content = healthMessage(body);
    if (content === null || !lifecycle.open || launch.stopping) return [];
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
      .filter((input) => input.type !== 'message' || input.from !== 'system');
    if (!inputs.some((input) => input.type === 'message')) return;
    if (!state.lifecycle.open) {
      const content = `${this.#meta.name} ended before it took up the last message, and is started again with it.`;
      appender.append('system', { type: 'message', from: 'system', content });
    }
    orderStart(sql, state, inputs);
  }

  #change(work: (appender: Appender) => Partial<Effects>): Effects {
    const { sql, hashing, now } = this.#deps;
    const before = this.#state;
    const { state, stored, result } = sql.transaction(() => {
      const appender = new Appender(sql, hashing, this.#meta, before, now());
      const result = work(appender);
      this.#note(appender, before);
      return { state: appender.finish(), stored: appender.stored, result };
    });
    this.#state = state;
    return { seq: state.seq, deltas: [], inputs: [], ...result, stored };
  }

  #note({ state }: Appender, before: ThreadState): void {
    const { status, reason, contextPct, stopped, open } = state.lifecycle;
    const old = before.lifecycle;
    if (
      status === old.status &&
      reason === old.reason &&
      contextPct === old.contextPct &&
      stopped === old.stopped &&
      open === old.open
    ) {
      return;
    }
    const note = {
      seq: state.seq,
      status,
      reason,
      contextPct,
      stopped,
      open,
    };
    putOutbox(this.#deps.sql, 'status', { kind: 'status', note });
  }

  #seqOf(key: string): number | null {
    const row = first<{ seq: number }>(this.#deps.sql, 'SELECT seq FROM keys WHERE key = ?', key);
    return row?.seq ?? null;
  }

  #keep(key: string, seq: number): void {
    this.#deps.sql.run('INSERT INTO keys (key, seq) VALUES (?, ?)', key, seq);
  }
}

function nothing(seq: number): Effects {
  return { seq, stored: [], deltas: [], inputs: [] };
}
