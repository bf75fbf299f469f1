import {
  type Advance,
  advance,
  chainHash,
  newRunId,
  type RunId,
  type RunOutcome,
  type Source,
  type StepId,
  type ThreadId,
} from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import { writeValue } from '../storage/values.ts';
import type { Hashing } from './hashing.ts';
import { eventJson, insertEvents, type Stored } from './log-table.ts';
import { storeRunEnd } from './receipts.ts';
import { noteResult } from './result-note.ts';
import { type Failed, isPlain, type ThreadMeta, type ThreadState } from './state.ts';
import { stepOf } from './steps.ts';

type Body = Record<string, unknown>;

/**
 * Appends to the log inside one transaction. It works on a copy of the state, so that a transaction that
 * fails leaves the caller's state as it was; `finish` writes rows and state and gives the new state back.
 */
export class Appender {
  readonly stored: Stored[] = [];
  readonly state: ThreadState;
  #sql: Sql;
  #hashing: Hashing;
  #meta: ThreadMeta;
  #now: number;
  #at: string;
  /** How many of `stored` are in the table. */
  #written = 0;

  constructor(sql: Sql, hashing: Hashing, meta: ThreadMeta, state: ThreadState, now: number) {
    this.#sql = sql;
    this.#hashing = hashing;
    this.#meta = meta;
    this.#now = now;
    this.#at = new Date(now).toISOString();
    this.state = { ...state, launch: { ...state.launch }, run: state.run && { ...state.run } };
  }

  get thread(): ThreadId {
    return this.#meta.thread;
  }

  get meta(): ThreadMeta {
    return this.#meta;
  }

  get now(): number {
    return this.#now;
  }

  /** `said` is what a stored body stands for, when that is kept elsewhere. Gives the event's seq back. */
  append(source: Source, body: Body, said = body): number {
    const { state } = this;
    const text = JSON.stringify(body);
    const change = advance(state.lifecycle, { source, body });
    if (change.supersedes) this.#endRun('superseded', state.seq, source, null);
    const seq = state.seq + 1;
    if (change.opens) this.#openRun(seq, text);
    const run = state.run;
    const step = source === 'fap' ? this.#step(said, run?.id ?? null, seq) : null;
    const event = run ? (run.events += 1) : (state.loose += 1);
    this.#store(source, text, { run: run?.id ?? null, step, event });
    state.failed = failedBy(change, state, seq);
    state.lifecycle = change.next;
    if (change.closes) this.#endRun(change.closes, seq, source, body);
    return seq;
  }

  /** Appends what says nothing about the agent and belongs to a run that has ended; null: to none. */
  appendLate(run: { id: RunId; events: number } | null, source: 'gateway', body: Body): number {
    const event = run === null ? (this.state.loose += 1) : run.events + 1;
    return this.#store(source, JSON.stringify(body), { run: run?.id ?? null, step: null, event });
  }

  finish(): ThreadState {
    this.#writeRows();
    writeValue(this.#sql, 'state', this.state);
    return this.state;
  }

  #store(
    source: Source,
    text: string,
    place: { run: RunId | null; step: StepId | null; event: number },
  ): number {
    const { state } = this;
    const seq = state.seq + 1;
    const { run, step, event } = place;
    const head = { seq, thread: this.#meta.thread, run, step, event, at: this.#at, source };
    const hash = chainHash(this.#hashing.sha256, state.hash, head, text);
    this.stored.push({ seq, source, json: eventJson(head, text, hash) });
    state.seq = seq;
    state.hash = hash;
    return seq;
  }

  #openRun(seq: number, text: string): void {
    const id: RunId = newRunId();
    const inputHash = this.#hashing.sha256(text);
    this.state.run = { id, startedSeq: seq - 1, startedAt: this.#at, inputHash, events: 0 };
    this.#sql.run(
      'INSERT INTO runs (run, started_seq, started_at, input_hash) VALUES (?, ?, ?, ?)',
      id,
      seq,
      this.#at,
      inputHash,
    );
  }

  #endRun(outcome: RunOutcome, seq: number, source: Source, body: Body | null): void {
    const { run } = this.state;
    if (!run) return;
    this.#writeRows();
    const { thread, model } = this.#meta;
    storeRunEnd(this.#sql, this.#hashing, {
      thread,
      model,
      plain: isPlain(this.#meta),
      run,
      outcome,
      seq,
      at: this.#at,
      source,
      body,
    });
    this.state.run = null;
    noteResult(this.#sql, run, { seq, outcome, reason: this.state.lifecycle.reason });
    if (outcome === 'completed') this.state.handoffs = 0;
    // What is superseded goes on in the same process.
    if (outcome !== 'superseded') this.state.handoffAsked = null;
  }

  #step(body: Body, run: RunId | null, seq: number) {
    const { thread } = this.#meta;
    return stepOf(
      { sql: this.#sql, hashing: this.#hashing, thread, run, seq, now: this.#now },
      body,
    );
  }

  #writeRows(): void {
    insertEvents(this.#sql, this.stored.slice(this.#written));
    this.#written = this.stored.length;
  }
}

/** A failure is another one when a run ended by it, or when there was none before. */
function failedBy(
  { next, closes }: Advance,
  { lifecycle, failed }: ThreadState,
  seq: number,
): Failed | undefined {
  if (next.status !== 'error') return undefined;
  if (closes === null && lifecycle.status === 'error') return failed;
  return { seq, reason: typeof next.paused === 'string' ? next.beneath : next.reason };
}
