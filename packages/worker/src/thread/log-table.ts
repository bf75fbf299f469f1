import type { LogEvent, Source } from '@filepath/protocol';
import type { Sql, SqlValue } from '../storage/sql.ts';

/** A stored event as the text that every feed sends. */
export type Stored = { seq: number; source: Source; json: string };

/** A statement takes at most 100 bound values; a row has three. */
const ROWS = 33;

export function insertEvents(sql: Sql, events: readonly Stored[]): void {
  for (let at = 0; at < events.length; at += ROWS) {
    const chunk = events.slice(at, at + ROWS);
    const values: SqlValue[] = [];
    for (const { seq, source, json } of chunk) values.push(seq, source, json);
    sql.run(
      `INSERT INTO log (seq, source, json) VALUES ${chunk.map(() => '(?, ?, ?)').join(', ')}`,
      ...values,
    );
  }
}

type Head = Omit<LogEvent, 'body' | 'hash'>;

/** Ids, source and time hold no character that JSON escapes. `body` is JSON already. */
export function eventJson(head: Head, body: string, hash: string): string {
  const { seq, thread, run, step, event, at, source } = head;
  return `{"seq":${seq},"thread":"${thread}","run":${quoted(run)},"step":${quoted(step)},"event":${event},"at":"${at}","source":"${source}","body":${body},"hash":"${hash}"}`;
}

const BODY = '"body":';
const TAIL = ',"hash":""}'.length + 64;

/** The stored body in an event that `eventJson` made. */
export function bodyText(json: string): string {
  return json.slice(json.indexOf(BODY) + BODY.length, json.length - TAIL);
}

function quoted(id: string | null): string {
  return id === null ? 'null' : `"${id}"`;
}
