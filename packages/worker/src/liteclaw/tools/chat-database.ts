import { DurableObject } from 'cloudflare:workers';
import { refusal, TOOL_LIMITS, type ToolOutcome } from '@filepath/protocol/sky';
import { isRead, statementFault } from './one-statement.ts';

type Query = {
  readonly sql: string;
  readonly params: readonly (string | number | null)[];
  readonly write: boolean;
};

const ROWS = 200;
const SIZE = 4 * 1024 * 1024;
/** Rows that nested scans of tables may come to: nothing stops a query that runs. */
const WORK = 5_000_000;
/** Rows that a function such as json_each may make of one value. */
const LISTED = 50_000;

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

  /** By the plan: scans that are nested multiply, and a recursion has no end that could be seen. */
  #work(sql: string, params: Query['params']): number {
    const explained = `EXPLAIN QUERY PLAN ${sql}`;
    const plan = this.ctx.storage.sql.exec<{ detail: string }>(explained, ...params).toArray();
    if (plan.some(({ detail }) => detail.includes('RECURSIVE'))) return Number.POSITIVE_INFINITY;
    const most = Math.max(1, this.#largest());
    return plan
      .filter(({ detail }) => detail.startsWith('SCAN '))
      .reduce((work, { detail }) => work * (detail.includes('VIRTUAL TABLE') ? LISTED : most), 1);
  }

  /** Rows of the largest table: a plan names tables by their aliases. */
  #largest(): number {
    const names = this.ctx.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
      )
      .toArray();
    return Math.max(
      0,
      ...names.map(({ name }) => {
        const quoted = `"${name.replaceAll('"', '""')}"`;
        return this.ctx.storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${quoted}`).one()
          .n;
      }),
    );
  }
}

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
