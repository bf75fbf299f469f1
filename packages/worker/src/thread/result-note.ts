import type { RunOutcome } from '@filepath/protocol';
import { z } from 'zod';
import type { Sql } from '../storage/sql.ts';
import { bodyText } from './log-table.ts';
import { putOutbox, type ResultNote } from './outbox.ts';
import { isAtWork, type OpenRun, type ThreadState } from './state.ts';

/** Bytes of an agent's last words that its parent gets with the result. */
export const MAX_WORDS = 16 * 1024;

/** Events of the agent that are looked at for its last words. */
const SCANNED = 500;

/** The work goes on, in another run. */
const GOES_ON: ReadonlySet<RunOutcome> = new Set(['superseded', 'handoff']);

const Words = z.union([
  z.object({ type: z.literal('done'), summary: z.string().min(1) }),
  z.object({ type: z.literal('text'), content: z.string().min(1) }),
]);

/** Tells the session how a run ended, in the transaction that ended it. */
export function noteResult(
  sql: Sql,
  { startedSeq }: OpenRun,
  end: Omit<ResultNote, 'words'>,
): void {
  if (GOES_ON.has(end.outcome)) return;
  const note = { ...end, words: lastWords(sql, startedSeq, end.seq) };
  putOutbox(sql, `result:${end.seq}`, { kind: 'result', note });
}

/** The end that an event was told as is none: the work goes on. */
export function callOffResult(sql: Sql, seq: number): void {
  sql.run('DELETE FROM outbox WHERE key = ?', `result:${seq}`);
}

/** The same for the run that ended last, whatever was said since. */
export function callOffLastResult(sql: Sql): void {
  sql.run("DELETE FROM outbox WHERE key = 'result:' || (SELECT max(ended_seq) FROM runs)");
}

/** A stop of work whose last run was told as going on: it goes on no more, and no run is left to end. */
export function noteStopped(sql: Sql, before: ThreadState, seq: number): void {
  const { open, stopped } = before.lifecycle;
  if (open || stopped || !isAtWork(before)) return;
  const note = { seq, outcome: 'stopped', reason: 'stopped', words: null } as const;
  putOutbox(sql, `result:${seq}`, { kind: 'result', note });
}

function lastWords(sql: Sql, from: number, to: number): string | null {
  const rows = sql.iterate<{ json: string }>(
    `SELECT json FROM log WHERE seq > ? AND seq <= ? AND source = 'fap' ORDER BY seq DESC LIMIT ${SCANNED}`,
    from,
    to,
  );
  for (const { json } of rows) {
    const said = Words.safeParse(JSON.parse(bodyText(json))).data;
    if (said) return cut(said.type === 'done' ? said.summary : said.content);
  }
  return null;
}

function cut(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_WORDS) return text;
  const head = new TextDecoder().decode(bytes.subarray(0, MAX_WORDS - 8));
  return `${head.replace(/\uFFFD+$/, '')} …`;
}
