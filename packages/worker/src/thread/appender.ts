import {
  advance,
  chainHash,
  newRunId,
  type RunId,
  type RunOutcome,
  type Source,
  type ThreadId,
} from '@filepath/protocol';
import type { Sql } from '../storage/sql.ts';
import { writeValue } from '../storage/values.ts';
import type { Hashing } from './hashing.ts';
import { storeRunEnd } from './receipts.ts';
import type { ThreadMeta, ThreadState } from './state.ts';
import { stepOf } from './steps.ts';

type Body = Record<string, unknown>;
type RowValues = [number, string | null, string | null, number, string, string, string, string];

/** A stored event as the text that every feed sends. */
export type Stored = { seq: number; json: string };

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
  #rows: RowValues[] = [];

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

  /** `text` is the stored form of the body, when the caller has it already. Gives the event's seq back. */
  append(source: Source, body: Body, text = JSON.stringify(body)): number {
    const { state } = this;
    const change = advance(state.lifecycle, { source, body });
    if (change.supersedes) this.#endRun('superseded', state.seq, source);
    const seq = state.seq + 1;
    if (change.opens) this.#openRun(seq, text);
    const run = state.run;
    const step = source === 'fap' ? this.#step(body, run?.id ?? null) : null;
    const number = run ? (run.events += 1) : (state.loose += 1);
    const head = {
      seq,
      thread: this.#meta.thread,
      run: run?.id ?? null,
      step,
      event: number,
      at: this.#at,
      source,
    };
    const hash = chainHash(this.#hashing.sha256, state.hash, head, text);
    this.#rows.push([seq, head.run, step, number, this.#at, source, text, hash]);
    // Ids, source and time hold no character that JSON escapes.
    this.stored.push({
      seq,
      json: `{"seq":${seq},"thread":"${head.thread}","run":${quoted(head.run)},"step":${quoted(step)},"event":${number},"at":"${this.#at}","source":"${source}","body":${text},"hash":"${hash}"}`,
    });
    state.seq = seq;
    state.hash = hash;
    state.lifecycle = change.next;
    if (change.closes) this.#endRun(change.closes, seq, source);
    return seq;
  }

  finish(): ThreadState {
    this.#writeRows();
    writeValue(this.#sql, 'state', this.state);
    return this.state;
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

  #endRun(outcome: RunOutcome, seq: number, source: Source): void {
    const { run } = this.state;
    if (!run) return;
    this.#writeRows();
    const { thread, model } = this.#meta;
    storeRunEnd(this.#sql, this.#hashing, {
      thread,
      model,
      run,
      outcome,
      seq,
      at: this.#at,
      source,
    });
    this.state.run = null;
  }

  #step(body: Body, run: RunId | null) {
    return stepOf(
      { sql: this.#sql, hashing: this.#hashing, thread: this.#meta.thread, run, now: this.#now },
      body,
    );
  }

  #writeRows(): void {
    if (this.#rows.length === 0) return;
    this.#sql.run(
      `INSERT INTO log (seq, run, step, event, at, source, body, hash)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
       FROM json_each(?)`,
      JSON.stringify(this.#rows),
    );
    this.#rows = [];
  }
}

function quoted(id: string | null): string {
  return id === null ? 'null' : `"${id}"`;
}
