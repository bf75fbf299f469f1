import { DurableObject } from 'cloudflare:workers';
import { refusal, TOOL_LIMITS, type ToolOutcome } from '@filepath/protocol/sky';
import { isRead, statementFault } from './one-statement.ts';
import { type PlanRow, workOf } from './query-work.ts';

type Query = {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
  readonly write: boolean;
};

const ROWS = 200;
const SIZE = 4 * 1024 * 1024;
/** Rows that a query may come to look at: nothing stops one that runs. */
const WORK = 5_000_000;

/** Ends a transaction with nothing of it kept. */
class Undone extends Error {
  readonly outcome: ToolOutcome;
  constructor(outcome: ToolOutcome) {
    super('undone');
    this.outcome = outcome;
  }
}

/** The database of one chat: its tools write what they like here, and nothing else is kept in it. */
export class ChatDatabase extends DurableObject {
  query({ sql, params, write }: Query): ToolOutcome {
    const fault = statementFault(sql);
    if (fault !== null) return refusal('bad_sql', `The query is not run: ${fault}.`);
    if (!write && !isRead(sql)) return READ_ONLY;
    try {
      const work = this.#work(sql, params);
      if (work > WORK)
        return refusal(
          'too_much',
          'It would look at too many rows. Use an index, or fewer tables, and no recursion.',
        );
      return this.ctx.storage.transactionSync(() => {
        const outcome = this.#run(sql, params);
        if (!write || !outcome.ok) throw new Undone(outcome);
        return outcome;
      });
    } catch (error) {
      if (error instanceof Undone) return write ? error.outcome : readOnly(error.outcome);
      return refusal('bad_sql', error instanceof Error ? error.message.slice(0, 1_000) : 'failed');
    }
  }

  #run(sql: string, params: Query['params']): ToolOutcome {
    const cursor = this.ctx.storage.sql.exec(sql, ...params);
    const rows: unknown[] = [];
    let room = TOOL_LIMITS.result;
    let more = false;
    for (const row of cursor) {
      const shown = Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, plain(value)]),
      );
      room -= JSON.stringify(shown).length;
      more = rows.length >= ROWS || room < 0;
      if (more) break;
      rows.push(shown);
    }
    if (this.ctx.storage.sql.databaseSize > SIZE)
      return refusal('store_full', `The database would have more than ${SIZE} bytes.`);
    return { ok: true, output: { rows, more, written: cursor.rowsWritten } };
  }

  #work(sql: string, params: Query['params']): number {
    const explained = `EXPLAIN QUERY PLAN ${sql}`;
    const plan = this.ctx.storage.sql.exec<PlanRow>(explained, ...params).toArray();
    return workOf(plan, sql, {
      largest: this.#largest(),
      alike: (index, columns) => this.#alike(index, columns),
    });
  }

  #alike(index: string, columns: readonly string[]): number {
    const { sql } = this.ctx.storage;
    const found = sql
      .exec<{ tbl_name: string }>(
        "SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND name = ?",
        index,
      )
      .toArray();
    const [table] = found;
    if (!table) return Number.POSITIVE_INFINITY;
    const groups = `SELECT count(*) AS n FROM ${quoted(table.tbl_name)} GROUP BY ${columns.map(quoted).join()}`;
    return sql.exec<{ n: number | null }>(`SELECT max(n) AS n FROM (${groups})`).one().n ?? 1;
  }

  #largest(): number {
    const names = this.ctx.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
      )
      .toArray();
    return Math.max(
      0,
      ...names.map(({ name }) => {
        const query = `SELECT count(*) AS n FROM ${quoted(name)}`;
        return this.ctx.storage.sql.exec<{ n: number }>(query).one().n;
      }),
    );
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const READ_ONLY = refusal(
  'policy',
  'This changes the database, and this chat is read-only. Nothing was kept.',
);

function readOnly(outcome: ToolOutcome): ToolOutcome {
  return outcome.ok && outcome.output['written'] !== 0 ? READ_ONLY : outcome;
}

function plain(value: unknown): unknown {
  return value instanceof ArrayBuffer ? `(${value.byteLength} bytes)` : value;
}
