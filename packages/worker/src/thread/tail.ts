import { INITIAL, LIMITS } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { Thread } from './thread.ts';

/** A page may hold fewer events than were asked for. */
const CHARS = 2 * LIMITS.frame;

type Row = { seq: number; json: string };

/** The last events before a seq; without one, the end of the log and how the thread stands there. As JSON. */
export function readTail(sql: Sql, thread: Thread, before: number | null, limit: number): string {
  const rows = lastRows(sql, before ?? thread.state.seq + 1, limit);
  const [from, to] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0];
  const more = first(sql, 'SELECT 1 FROM log WHERE seq < ? LIMIT 1', from) !== null;
  const lifecycle = { ...INITIAL, ...thread.state.lifecycle };
  const now = before === null ? JSON.stringify({ lifecycle, queue: thread.queue }) : 'null';
  const events = rows.map(({ json }) => json).join(',');
  const runs = runsWithin(sql, from, to).join(',');
  return `{"events":[${events}],"before":${more ? from : null},"runs":[${runs}],"now":${now}}`;
}

function lastRows(sql: Sql, before: number, limit: number): Row[] {
  const rows: Row[] = [];
  let size = 0;
  for (const { seq, json } of sql.iterate<Row>(
    'SELECT seq, json FROM log WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    before,
    limit,
  )) {
    size += json.length;
    if (size > CHARS && rows.length > 0) break;
    rows.push({ seq, json });
  }
  return rows.reverse();
}

type RunRow = { run: string; from: number; to: number | null; receipt: string | null };

/** A page has no more runs than events. */
function runsWithin(sql: Sql, from: number, to: number): string[] {
  const rows = sql.all<RunRow>(
    `SELECT run, started_seq AS "from", ended_seq AS "to",
       (SELECT body FROM receipts WHERE receipts.run = runs.run AND body LIKE '{"type":"receipt.run"%') AS receipt
     FROM runs WHERE started_seq <= ? AND (ended_seq IS NULL OR ended_seq >= ?) ORDER BY started_seq`,
    to,
    from,
  );
  const earlier = first<{ n: number }>(
    sql,
    'SELECT COUNT(*) AS n FROM runs WHERE started_seq < ?',
    rows[0]?.from ?? 0,
  );
  return rows.map((row, i) => {
    const number = (earlier?.n ?? 0) + i + 1;
    const { run, from: begin, to: end, receipt } = row;
    return `{"run":"${run}","number":${number},"from":${begin},"to":${end},"receipt":${receipt ?? 'null'}}`;
  });
}
