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
  /** So many are under way at most: as they were last counted, and those that began since. */
  #mostOpen = Infinity;
  /** Ids that may be in the table. A new call is none of them, and need not be looked for. */
  #ids: Set<string> | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** What was stored or forgotten since may not be: its transaction was rolled back. */
  reread(): void {
    this.#ids = null;
    this.#mostOpen = Infinity;
  }

  /** Those of these ids that are known, by id. */
  among(calls: readonly string[]): Map<string, CallRow> {
    const [only] = calls;
    if (only !== undefined && calls.length === 1) {
      const row = this.find(only);
      return new Map(row ? [[only, row]] : []);
    }
    const rows = this.#sql.all<CallRow>(
      'SELECT * FROM calls WHERE call IN (SELECT value FROM json_each(?))',
      JSON.stringify(calls),
    );
    return new Map(rows.map((row) => [row.call, row]));
  }

  find(call: string): CallRow | null {
    this.#ids ??= new Set(
      this.#sql.all<{ call: string }>('SELECT call FROM calls').map((row) => row.call),
    );
    if (!this.#ids.has(call)) return null;
    return first<CallRow>(this.#sql, 'SELECT * FROM calls WHERE call = ?', call);
  }

  /** Whether as many as this are under way. They are counted only when so many can be. */
  hasOpen(count: number): boolean {
    if (this.#mostOpen < count) return false;
    this.#mostOpen = this.open();
    return this.#mostOpen >= count;
  }

  open(): number {
    const query = `SELECT count(*) AS n FROM calls WHERE state = 'open'`;
    return first<{ n: number }>(this.#sql, query)?.n ?? 0;
  }

  insert(ask: Ask, outputBound: number, held: Amount, now: number, until: number): void {
    this.#mostOpen += 1;
    this.#ids?.add(ask.call);
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

  end({ call, state, until, charged }: CallRow): void {
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
    const gone = this.#sql.all<{ call: string }>(
      `DELETE FROM calls WHERE state IN ('estimated', 'counted') AND until <= ? RETURNING call`,
      now,
    );
    for (const { call } of gone) this.#ids?.delete(call);
  }

  /** By state, so that the index has each answer at its end: an hour's calls are many. */
  due(): number | null {
    const soonest = ['open', 'estimated', 'counted']
      .map((state) => `SELECT min(until) AS at FROM calls WHERE state = '${state}'`)
      .join(' UNION ALL ');
    return (
      first<{ at: number | null }>(this.#sql, `SELECT min(at) AS at FROM (${soonest})`)?.at ?? null
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
