import type { CallId } from '@filepath/protocol';
import type { Ask, Price } from '../../gateway/contract.ts';
import { first, type Sql } from '../../storage/sql.ts';
import type { Accounts } from './accounts.ts';
import type { Amount } from './money.ts';

export type CallRow = {
  call: string;
  node: string;
  state: string;
  until: number;
  started: number;
  format: string;
  provider: string;
  model: string;
  price: string | null;
  input_bound: number;
  output_bound: number;
  held_tokens: number;
  held_nano: number;
  charged: string | null;
  /** The accounts it was reserved in, where its node has moved since. */
  path: string | null;
};

/** The calls that are under way, and those that ended lately: a call is settled once. */
export class Calls {
  #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(call: string): CallRow | null {
    return first<CallRow>(this.#sql, 'SELECT * FROM calls WHERE call = ?', call);
  }

  open(): number {
    const query = `SELECT count(*) AS n FROM calls WHERE state = 'open'`;
    return first<{ n: number }>(this.#sql, query)?.n ?? 0;
  }

  insert(ask: Ask, outputBound: number, held: Amount, now: number, until: number): void {
    this.#sql.run(
      `INSERT INTO calls (call, node, state, until, started, format, provider, model, price, input_bound,
         output_bound, held_tokens, held_nano) VALUES (?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ask.call,
      ask.thread,
      until,
      now,
      ask.format,
      ask.provider.slice(0, 64),
      ask.model.slice(0, 200),
      ask.price && JSON.stringify(ask.price),
      ask.inputBound,
      outputBound,
      held.tokens,
      held.nano,
    );
  }

  renew(call: CallId, until: number): void {
    this.#sql.run(`UPDATE calls SET until = ? WHERE call = ? AND state = 'open'`, until, call);
  }

  end(call: string, state: 'estimated' | 'counted', until: number, charged: string): void {
    this.#sql.run(
      'UPDATE calls SET state = ?, until = ?, charged = ? WHERE call = ?',
      state,
      until,
      charged,
      call,
    );
  }

  /** Open calls that nobody has renewed. */
  overdue(now: number): CallRow[] {
    return this.#sql.all<CallRow>(
      `SELECT * FROM calls WHERE state = 'open' AND until <= ? ORDER BY until`,
      now,
    );
  }

  forget(now: number): void {
    this.#sql.run(`DELETE FROM calls WHERE state IN ('estimated', 'counted') AND until <= ?`, now);
  }

  due(): number | null {
    return (
      first<{ at: number | null }>(this.#sql, 'SELECT min(until) AS at FROM calls')?.at ?? null
    );
  }
}

export function priceOf(row: CallRow): Price | null {
  return row.price === null ? null : (JSON.parse(row.price) as Price);
}

/** The accounts that a call counts in. */
export function pathOfCall(row: CallRow, accounts: Accounts): readonly string[] {
  return row.path === null ? accounts.pathOf(row.node) : (JSON.parse(row.path) as string[]);
}
