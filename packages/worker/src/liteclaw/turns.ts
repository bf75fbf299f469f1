import { first, type Sql } from '../storage/sql.ts';
import { readValue, writeValue } from '../storage/values.ts';
import { type ChatCounts, counted, NO_COUNTS } from './counts.ts';

export type TurnEnd = {
  readonly outcome: 'ok' | 'error' | 'stopped' | 'interrupted';
  readonly code?: string;
  /** When the first word of an answer came. */
  readonly firstAt: number | null;
  readonly streamed: boolean;
};

export type OpenTurn = { request: string; message: string | null; at: number };

/** Rows that are kept, beside those of the last while; the counts are of all there ever were. */
const KEPT = 500;
/** Messages are limited by how many came in this time: none of them is dropped earlier. */
export const RATE_MS = 60_000;

/** What became of each message: how long its answer took, and how it ended. */
export class Turns {
  #sql: Sql;
  #now: () => number;

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  /** Stored before anything is asked, so that a message whose answer never came is found again. */
  begin(request: string, message: string | null, modelConfigId: string): void {
    this.#sql.run(
      `INSERT OR IGNORE INTO turns (request, message, at, outcome, model_config_id) VALUES (?, ?, ?, 'open', ?)`,
      request,
      message,
      this.#now(),
      modelConfigId,
    );
  }

  /** How long it took. Null: it is not open, or was never begun. */
  end(
    request: string,
    { outcome, code, firstAt, streamed }: TurnEnd,
  ): { ttftMs: number | null; durationMs: number } | null {
    return this.#sql.transaction(() => {
      const row = first<{ at: number }>(
        this.#sql,
        `SELECT at FROM turns WHERE request = ? AND outcome = 'open'`,
        request,
      );
      if (!row) return null;
      const durationMs = Math.max(0, this.#now() - row.at);
      const ttftMs = firstAt === null ? null : Math.max(0, firstAt - row.at);
      this.#sql.run(
        'UPDATE turns SET outcome = ?, code = ?, ttft_ms = ?, duration_ms = ?, streamed = ? WHERE request = ?',
        outcome,
        code ?? null,
        ttftMs,
        durationMs,
        streamed ? 1 : 0,
        request,
      );
      this.#sql.run(
        'DELETE FROM turns WHERE at <= ? AND request IN (SELECT request FROM turns ORDER BY at DESC LIMIT -1 OFFSET ?)',
        this.#now() - RATE_MS,
        KEPT,
      );
      const turn = { outcome, ttftMs, durationMs, streamed, at: row.at };
      writeValue(this.#sql, 'counts', counted(this.counts(), turn));
      return { ttftMs, durationMs };
    });
  }

  /** Those whose end nobody told: the object ended first. */
  open(): OpenTurn[] {
    return this.#sql.all<OpenTurn>(
      `SELECT request, message, at FROM turns WHERE outcome = 'open' ORDER BY at`,
    );
  }

  /** How a request stands that was taken lately. Null: it was not. */
  outcomeOf(request: string): 'open' | TurnEnd['outcome'] | null {
    const query = 'SELECT outcome FROM turns WHERE request = ?';
    return (
      first<{ outcome: 'open' | TurnEnd['outcome'] }>(this.#sql, query, request)?.outcome ?? null
    );
  }

  /** How long ago the message of a request came. */
  waited(request: string): number {
    const row = first<{ at: number }>(this.#sql, 'SELECT at FROM turns WHERE request = ?', request);
    return row ? Math.max(0, this.#now() - row.at) : 0;
  }

  /** Messages of the last while. */
  recent(): number {
    const query = 'SELECT count(*) AS n FROM turns WHERE at > ?';
    return first<{ n: number }>(this.#sql, query, this.#now() - RATE_MS)?.n ?? 0;
  }

  counts(): ChatCounts {
    return readValue<ChatCounts>(this.#sql, 'counts') ?? NO_COUNTS;
  }
}
