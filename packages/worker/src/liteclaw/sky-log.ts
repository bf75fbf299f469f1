import {
  chainHash,
  CHAIN_START,
  type ChainPlace,
  LIMITS,
  newRunId,
  type RunId,
  type Source,
  type StepId,
  type ThreadId,
} from '@filepath/protocol';
import {
  CF_SKY_VERSION,
  type Receipt,
  type RunReceipt,
  SkyEvent,
  type SkyPart,
  type ToolReceipt,
} from '@filepath/protocol/sky';
import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import type { Hashing } from '../thread/hashing.ts';
import { eventJson, insertEvents } from '../thread/log-table.ts';

type Given<T> = T extends unknown ? Omit<T, 'thread_id' | 'run_id' | 'event_id'> : never;
/** An event of Sky as its writer says it: thread, run and number are the log's. */
export type NewSkyEvent = Given<SkyEvent>;
/** What a call of a tool leaves. */
export type NewToolReceipt = Omit<ToolReceipt, 'type' | 'cf_sky_version' | 'thread_id' | 'run_id'>;

/** Where a run says what happens in it. */
export interface SkyEvents {
  readonly thread: ThreadId;
  readonly run: RunId;
  /**
   * Stores events and receipts in one transaction, in order. A run that has ended says nothing more: nothing is stored.
   * Throws for what fits no schema, and for a body of more than `LIMITS.inlineBody` bytes.
   */
  append(events: readonly NewSkyEvent[], receipts?: readonly NewToolReceipt[]): void;
}

/** What a person said: its words, and refs of what was given with it. */
export type SaidBody = {
  readonly id: string;
  readonly content: string;
  readonly files?: readonly SkyPart[];
};

/** What the hash of a run's input is made of. */
export const inputOf = ({ content, files }: Pick<SaidBody, 'content' | 'files'>): string =>
  JSON.stringify(files === undefined ? content : [content, ...files]);

export type RunBegin = {
  readonly request: string;
  /** The message that it answers. */
  readonly message: SaidBody | null;
  readonly modelConfigId: string;
};

export type RunEnd = {
  readonly status: Extract<
    RunReceipt['status'],
    'completed' | 'error' | 'stopped' | 'superseded' | 'lost'
  >;
  readonly output: string;
  readonly ttftMs: number | null;
  /** Of what did not end well. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly tokens?: RunReceipt['tokens'];
};

type Open = {
  id: RunId;
  events: number;
  startedAt: string;
  inputHash: string;
  modelConfigId: string;
};

/** Where the log stands. */
export type SkyLogState = ChainPlace & {
  after: ChainPlace;
  loose: number;
  run: Open | null;
  last: RunId | null;
};

const FRESH: SkyLogState = { ...CHAIN_START, after: CHAIN_START, loose: 0, run: null, last: null };

export const freshState = (): SkyLogState => structuredClone(FRESH);

export const storeState = (sql: Sql, state: SkyLogState): void => writeValue(sql, 'log', state);

const encoder = new TextEncoder();

type Deps = {
  readonly sql: Sql;
  readonly hashing: Hashing;
  readonly thread: ThreadId;
  readonly now: () => number;
};

/** The log of a chat: rows as every thread has them, chained by their hashes, with its runs and receipts. */
export class SkyLog {
  #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Opens a run. One that is still open is superseded by it. */
  begin({ request, message, modelConfigId }: RunBegin): SkyEvents {
    const { sql, hashing, thread, now } = this.#deps;
    const id = newRunId();
    sql.transaction(() => {
      if (this.#state().run) this.end(null, SUPERSEDED);
      const state = this.#state();
      const startedAt = new Date(now()).toISOString();
      const inputHash = hashing.sha256(inputOf(message ?? { content: '' }));
      state.run = { id, events: 0, startedAt, inputHash, modelConfigId };
      state.last = id;
      sql.run(
        `INSERT INTO runs (run, request, message, started_seq, started_at, input_hash, model_config_id)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        id,
        request,
        message?.id ?? null,
        state.seq + 1,
        startedAt,
        inputHash,
        modelConfigId,
      );
      if (message && !this.#isLogged(id, message.id, inputHash))
        this.#put(state, 'user', { type: 'message', ...message });
      this.#say(state, {
        type: 'run.started',
        step_id: null,
        model_config_id: modelConfigId,
        cf_sky_version: CF_SKY_VERSION,
        ...(message && { message_id: message.id }),
      });
      this.#store(state);
    });
    return { thread, run: id, append: (events, receipts) => this.#append(id, events, receipts) };
  }

  /** Ends a run; null for whichever is open. What has ended already is left as it is. */
  end(run: RunId | null, { status, output, ttftMs, error, tokens }: RunEnd): void {
    const { sql, hashing, thread, now } = this.#deps;
    sql.transaction(() => {
      const state = this.#state();
      const open = state.run;
      if (!open || (run !== null && open.id !== run)) return;
      const outputHash = hashing.sha256(JSON.stringify(output));
      this.#say(
        state,
        status === 'completed'
          ? { type: 'run.completed', step_id: null, output_hash: outputHash }
          : {
              type: 'run.error',
              step_id: null,
              error_code: error?.code ?? status,
              message: (error?.message ?? '').slice(0, 4096),
            },
      );
      const at = now();
      const completedAt = new Date(at).toISOString();
      this.#receipt(state, {
        type: 'receipt.run',
        cf_sky_version: CF_SKY_VERSION,
        thread_id: thread,
        run_id: open.id,
        input_hash: open.inputHash,
        output_hash: outputHash,
        model_config_id: open.modelConfigId,
        started_at: open.startedAt,
        completed_at: completedAt,
        duration_ms: Math.max(0, at - Date.parse(open.startedAt)),
        status,
        ended_by: state.seq,
        verified: true,
        events: open.events,
        ...(tokens && { tokens }),
        ...(ttftMs === null ? {} : { ttft_ms: ttftMs }),
        ...(error && { error_code: error.code }),
      });
      sql.run(
        'UPDATE runs SET ended_seq = ?, ended_at = ?, outcome = ?, error_code = ? WHERE run = ?',
        state.seq,
        completedAt,
        status,
        error?.code ?? null,
        open.id,
      );
      state.run = null;
      this.#store(state);
    });
  }

  /** What the chat itself did. */
  note(body: Record<string, unknown> & { type: string }): void {
    this.#deps.sql.transaction(() => {
      const state = this.#state();
      this.#put(state, 'system', body);
      this.#store(state);
    });
  }

  /** Drops every row. The numbers go on, and the first row after it names the last one before. */
  reset(): void {
    const { sql } = this.#deps;
    sql.transaction(() => {
      const before = this.#state();
      for (const table of ['log', 'runs', 'receipts']) sql.run(`DELETE FROM ${table}`);
      if (before.seq === 0) return;
      const { seq, hash } = before;
      const after = { seq, hash };
      const state: SkyLogState = { ...FRESH, ...after, after, loose: before.loose };
      this.#put(state, 'system', { type: 'reset', after });
      this.#store(state);
    });
  }

  /** The last event, and the one before the first that is kept. */
  get place(): { head: ChainPlace; after: ChainPlace } {
    const { seq, hash, after } = this.#state();
    return { head: { seq, hash }, after };
  }

  /** The run that is open, or was last. */
  get lastRun(): RunId | null {
    return this.#state().last;
  }

  #append(
    run: RunId,
    events: readonly NewSkyEvent[],
    receipts: readonly NewToolReceipt[] = [],
  ): void {
    this.#deps.sql.transaction(() => {
      const state = this.#state();
      if (state.run?.id !== run) return;
      for (const event of events) this.#say(state, event);
      for (const receipt of receipts) {
        const { thread: thread_id } = this.#deps;
        const head = { type: 'receipt.tool', cf_sky_version: CF_SKY_VERSION, thread_id } as const;
        this.#receipt(state, { ...head, run_id: run, ...receipt });
      }
      this.#store(state);
    });
  }

  #say(state: SkyLogState, event: NewSkyEvent): void {
    const { thread } = this.#deps;
    const run = state.run;
    if (!run) throw new Error('no run is open');
    const head = { thread_id: thread, run_id: run.id, event_id: run.events + 1 };
    this.#put(state, 'sky', SkyEvent.parse({ ...event, ...head }), event.step_id);
  }

  #put(state: SkyLogState, source: Source, body: object, step: StepId | null = null): void {
    const { sql, hashing, thread, now } = this.#deps;
    const text = JSON.stringify(body);
    if (encoder.encode(text).length > LIMITS.inlineBody)
      throw new RangeError(`An event has at most ${LIMITS.inlineBody} bytes.`);
    const { run } = state;
    const head = {
      seq: state.seq + 1,
      thread,
      run: run?.id ?? null,
      step,
      event: run ? (run.events += 1) : (state.loose += 1),
      at: new Date(now()).toISOString(),
      source,
    };
    const hash = chainHash(hashing.sha256, state.hash, head, text);
    insertEvents(sql, [{ seq: head.seq, source, json: eventJson(head, text, hash) }]);
    state.seq = head.seq;
    state.hash = hash;
  }

  #receipt({ seq }: SkyLogState, receipt: Receipt): void {
    this.#deps.sql.run(
      'INSERT INTO receipts (run, seq, body) VALUES (?, ?, ?)',
      receipt.run_id,
      seq,
      JSON.stringify(receipt),
    );
  }

  /** A message that is answered again is in the log once, unless it was changed. */
  #isLogged(run: RunId, message: string, inputHash: string): boolean {
    const query =
      'SELECT input_hash FROM runs WHERE message = ? AND run <> ? ORDER BY started_seq DESC LIMIT 1';
    return (
      first<{ input_hash: string }>(this.#deps.sql, query, message, run)?.input_hash === inputHash
    );
  }

  #state(): SkyLogState {
    return readValue<SkyLogState>(this.#deps.sql, 'log') ?? freshState();
  }

  #store(state: SkyLogState): void {
    storeState(this.#deps.sql, state);
  }
}

const SUPERSEDED: RunEnd = {
  status: 'superseded',
  output: '',
  ttftMs: null,
  error: { code: 'superseded', message: 'Another message came before this was answered.' },
};
