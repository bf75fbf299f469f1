import { type GatewayCall, RunId } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { Appender } from './appender.ts';

type RunRow = { run: string; ended_seq: number | null; ended_at: string | null };

/**
 * A call belongs to the run in which it was reserved. One that is settled after that run's end is none of the next run's,
 * and not in the receipt, which is stored once: its event names the run.
 */
export function appendCall(sql: Sql, appender: Appender, body: GatewayCall): number {
  const { run } = appender.state;
  const started = Date.parse(body.startedAt);
  if (Number.isNaN(started) || (run !== null && started >= Date.parse(run.startedAt))) {
    return appender.append('gateway', body);
  }
  const at = new Date(started).toISOString();
  const row = first<RunRow>(
    sql,
    `SELECT run, ended_seq, ended_at FROM runs WHERE started_at <= ? AND ended_seq IS NOT NULL
     ORDER BY started_seq DESC LIMIT 1`,
    at,
  );
  const inside = row !== null && at <= (row.ended_at ?? '');
  const late = inside ? { id: RunId.parse(row.run), events: eventsOf(sql, appender, row) } : null;
  return appender.appendLate(late, 'gateway', body);
}

/** Events of a run that has ended: those in its receipt, and those that came late. */
function eventsOf(sql: Sql, { stored }: Appender, { run, ended_seq: end }: RunRow): number {
  const { events } = first<{ events: number }>(
    sql,
    `SELECT json_extract(body, '$.events') AS events FROM receipts
     WHERE run = ? AND json_extract(body, '$.type') = 'receipt.run'`,
    run,
  ) ?? { events: 0 };
  const known = first<{ n: number }>(
    sql,
    `SELECT count(*) AS n FROM log WHERE seq > ? AND source = 'gateway' AND json_extract(json, '$.run') = ?`,
    end,
    run,
  );
  const fresh = stored.filter(({ source, json }) => {
    return source === 'gateway' && (JSON.parse(json) as { run: string | null }).run === run;
  });
  return events + (known?.n ?? 0) + fresh.length;
}
