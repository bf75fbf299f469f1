import {
  Attachment,
  DoneEvent,
  PlanEvent,
  RunnerHead,
  SystemHandoff,
  TextEvent,
  toldContent,
} from '@filepath/protocol';
import { z } from 'zod';
import { first, type Sql } from '../storage/sql.ts';
import { bodyText } from './log-table.ts';

/** Of a message as the log has it, with whatever else stands there. */
const Message = z.looseObject({
  type: z.literal('message'),
  content: z.string(),
  attachments: z.array(Attachment).optional(),
});

type Row = { seq: number; source: string; json: string };

/** Rows of the log that are looked at for one kind of event: a thread may be of any length. */
const SCANNED = 20_000;
const COMMITS = 10;
/** Runs that are looked at for the one that work began with. */
const RUNS = 100;

/** The newest events of a type, newest first. */
function newest(
  sql: Sql,
  head: number,
  source: string,
  type: string,
  limit: number,
  scanned = SCANNED,
): Row[] {
  return sql.all<Row>(
    `SELECT seq, source, json FROM log
     WHERE seq > ? AND source = ? AND json_extract(json, '$.body.type') = ? ORDER BY seq DESC LIMIT ?`,
    Math.max(0, head - scanned),
    source,
    type,
    limit,
  );
}

const bodyOf = (row: Row): unknown => JSON.parse(bodyText(row.json));

/** What the last fresh process was told, and where that is. */
export function lastRelay(sql: Sql, head: number): (SystemHandoff & { seq: number }) | null {
  const [row] = newest(sql, head, 'system', 'handoff', 1, head);
  if (row === undefined) return null;
  const { data } = SystemHandoff.safeParse(bodyOf(row));
  return data === undefined ? null : { ...data, seq: row.seq };
}

/** What is left of the last plan. */
export function openSteps(sql: Sql, head: number): { title: string; status: string }[] {
  const [row] = newest(sql, head, 'fap', 'plan', 1);
  const plan = row && PlanEvent.safeParse(bodyOf(row)).data;
  return (plan?.steps ?? [])
    .map(({ title, status = 'pending' }) => ({ title, status }))
    .filter(({ status }) => status !== 'done');
}

/** The branch that the runner saw last, and the commits that were made, newest first. */
export function headsOf(
  sql: Sql,
  head: number,
): { branch: string | null; commits: { hash: string; message: string }[] } {
  const seen = newest(sql, head, 'runner', 'head', COMMITS).flatMap(
    (row) => RunnerHead.safeParse(bodyOf(row)).data ?? [],
  );
  return {
    branch: seen[0]?.ref ?? null,
    commits: seen.map(({ to, message }) => ({ hash: to, message })),
  };
}

/** What a person or the parent said between two seqs, oldest first. */
export function messagesBetween(
  sql: Sql,
  after: number,
  upTo: number,
): { seq: number; from: string; content: string }[] {
  return sql
    .all<Row>(
      `SELECT seq, source, json FROM log
       WHERE seq > ? AND seq <= ? AND source IN ('user', 'parent')
         AND json_extract(json, '$.body.type') = 'message' ORDER BY seq DESC LIMIT 50`,
      after,
      upTo,
    )
    .toReversed()
    .flatMap((row) => {
      const content = messageIn(row);
      return content === null ? [] : [{ seq: row.seq, from: row.source, content }];
    });
}

/** The body of an event by its seq; null if there is none. */
export function bodyAt(sql: Sql, seq: number): unknown {
  const row = first<Row>(sql, 'SELECT seq, source, json FROM log WHERE seq = ?', seq);
  return row && bodyOf(row);
}

/** The words of a message by its seq; null if there is none. */
export function messageAt(sql: Sql, seq: number): string | null {
  const row = first<Row>(sql, 'SELECT seq, source, json FROM log WHERE seq = ?', seq);
  return row && messageIn(row);
}

/** The first message of a thread. */
export function firstTask(sql: Sql): { seq: number; content: string } | null {
  const row = first<Row>(
    sql,
    `SELECT seq, source, json FROM log WHERE source IN ('user', 'parent')
       AND json_extract(json, '$.body.type') = 'message' ORDER BY seq LIMIT 1`,
  );
  const content = row && messageIn(row);
  return row && content !== null ? { seq: row.seq, content } : null;
}

/**
 * The seq of the message that the newest run's work began with; null if there is none. A run that filepath opened, after
 * a handoff, a limit or the end of a child, goes on with the work before it.
 */
export function taskOfWork(sql: Sql, head: number): number | null {
  const runs = sql.all<Row>(
    `SELECT seq, source, json FROM runs JOIN log ON seq = started_seq ORDER BY seq DESC LIMIT ${RUNS}`,
  );
  const given = runs.find(({ source }) => source !== 'system');
  const began = (given ?? runs.at(-1))?.seq ?? 0;
  const relay = lastRelay(sql, head);
  return relay !== null && relay.seq >= began ? relay.task : taskBefore(sql, began);
}

/** The seq of the last message at or before this one; null if there is none. */
function taskBefore(sql: Sql, seq: number): number | null {
  const row = first<{ seq: number }>(
    sql,
    `SELECT seq FROM log WHERE seq <= ? AND source IN ('user', 'parent')
       AND json_extract(json, '$.body.type') = 'message' ORDER BY seq DESC LIMIT 1`,
    seq,
  );
  return row?.seq ?? null;
}

/** What the agent said last, where it left no summary. `words`: the same, without ours. */
export function lastWords(sql: Sql, head: number): { summary: string; words: string } {
  const done = newest(sql, head, 'fap', 'done', 1)[0];
  const text = newest(sql, head, 'fap', 'text', 1)[0];
  const ended = done && DoneEvent.safeParse(bodyOf(done)).data?.summary;
  const last = text && TextEvent.safeParse(bodyOf(text)).data?.content;
  const said = last === ended ? undefined : last;
  const summary = [
    'No summary was written.',
    ...(ended === undefined ? [] : [`Its last run ended with: ${ended}`]),
    ...(said === undefined ? [] : [`What it said last:\n\n${said}`]),
  ].join('\n\n');
  return { summary, words: [ended, said].filter((one) => one !== undefined).join('\n') };
}

/** Whether the gateway has metered a call of the agent. */
export function wasMetered(sql: Sql, head: number): boolean {
  return newest(sql, head, 'gateway', 'call', 1).length > 0;
}

/** The first event of the newest run, and whether it ended with this event. */
export function newestRun(sql: Sql, endedAt: number): { began: number; ended: boolean } {
  const row = first<{ started_seq: number; ended_seq: number | null }>(
    sql,
    'SELECT started_seq, ended_seq FROM runs ORDER BY started_seq DESC LIMIT 1',
  );
  return { began: row?.started_seq ?? 0, ended: row?.ended_seq === endedAt };
}

function messageIn(row: Row): string | null {
  const message = Message.safeParse(bodyOf(row)).data;
  return message === undefined ? null : toldContent(message.content, message.attachments);
}
