import { type ChainPlace, FilepathError, type ThreadId } from '@filepath/protocol';
import { MEMORY_SCHEMA_VERSION, type SkyMemory, toSkyMessage } from '@filepath/protocol/sky';
import { first, type Sql } from '../storage/sql.ts';
import type { ChatMemory } from './memory.ts';
import type { SaidRow, SaidTable } from './said.ts';
import type { SkyLog } from './sky-log.ts';

/** What an export is taken of: what comes after that moment is not in it. */
export type ExportHead = {
  readonly thread: ThreadId;
  readonly after: ChainPlace;
  readonly memory: SkyMemory | null;
  /** The last row of each kind. */
  readonly upTo: Readonly<Record<ExportKind, number>>;
};
export type ExportKind = 'message' | 'event' | 'receipt';
/** A row's place, and its JSON as the export has it. */
export type ExportRow = { readonly at: number; readonly json: string };

/** Characters of a page; a row that is larger is a page by itself. */
const PAGE = 512 * 1024;

type Parts = {
  readonly sql: Sql;
  readonly thread: ThreadId;
  readonly log: SkyLog;
  readonly said: SaidTable;
  readonly memory: ChatMemory;
};

export function exportHead({ sql, thread, log, said, memory }: Parts): ExportHead {
  const { head, after } = log.place;
  const receipts = first<{ id: number | null }>(sql, 'SELECT max(id) AS id FROM receipts');
  const { summary, through, at } = memory.get();
  return {
    thread,
    after,
    memory:
      summary === ''
        ? null
        : {
            thread_id: thread,
            schema_version: MEMORY_SCHEMA_VERSION,
            summary,
            through,
            updated_at: at ?? new Date(0).toISOString(),
          },
    upTo: { message: said.last, event: head.seq, receipt: receipts?.id ?? 0 },
  };
}

/** Rows after a place, as many as fit; none when there are no more. */
export function exportPage(
  { sql, thread, log, said }: Parts,
  head: ExportHead,
  kind: ExportKind,
  after: number,
): ExportRow[] {
  if (log.place.after.seq !== head.after.seq)
    throw new FilepathError('conflict', 'The chat was reset while it was exported. Try again.');
  const upTo = head.upTo[kind];
  if (kind === 'message')
    return said
      .page(after, upTo, PAGE)
      .map((row) => ({ at: row.n, json: JSON.stringify(messageOf(row, thread)) }));
  const query =
    kind === 'event'
      ? 'SELECT seq AS at, json FROM log WHERE seq > ? AND seq <= ? ORDER BY seq'
      : 'SELECT id AS at, body AS json FROM receipts WHERE id > ? AND id <= ? ORDER BY id';
  const rows: ExportRow[] = [];
  let room = PAGE;
  for (const row of sql.iterate<{ at: number; json: string }>(query, after, upTo)) {
    rows.push(row);
    room -= row.json.length;
    if (room < 0) break;
  }
  return rows;
}

function messageOf({ json, run, at }: SaidRow, thread_id: ThreadId) {
  const message = toSkyMessage(JSON.parse(json), { thread_id });
  return { ...message, run_id: run ?? message.run_id, created_at: message.created_at ?? at };
}
