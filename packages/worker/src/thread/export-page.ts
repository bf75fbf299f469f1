import { GENESIS } from '@filepath/protocol';
import { first, type Sql } from '../storage/sql.ts';
import type { Thread } from './thread.ts';
import type { ThreadFeed } from './thread-feed.ts';
import { readBounded } from '../feed/feed-source.ts';

export type ExportPage = {
  name: string;
  /** Where this export ends; asked for again by the following pages. */
  upTo: number;
  events: string[];
  last: number;
  /** On the last page: the receipts, the count and the hash of the last event. */
  end: { receipts: string[]; head: string } | null;
};

/** One page of an export up to a fixed seq, so that what is appended meanwhile does not change it. */
export function exportPage(
  sql: Sql,
  parts: { thread: Thread; feed: ThreadFeed },
  after: number,
  upTo: number | null,
): ExportPage {
  const until = upTo ?? parts.feed.head();
  const items = readBounded(parts.feed, after).filter((item) => item.seq <= until);
  const last = items.at(-1)?.seq ?? after;
  const done = last >= until;
  return {
    name: parts.thread.meta.name,
    upTo: until,
    events: items.map((item) => item.json),
    last,
    end: done ? { receipts: receiptsUpTo(sql, until), head: headAt(sql, until) } : null,
  };
}

function headAt(sql: Sql, seq: number): string {
  return first<{ hash: string }>(sql, 'SELECT hash FROM log WHERE seq = ?', seq)?.hash ?? GENESIS;
}

function receiptsUpTo(sql: Sql, seq: number): string[] {
  return sql
    .all<{ body: string }>(
      `SELECT receipts.body FROM receipts LEFT JOIN runs USING (run)
       WHERE receipts.run IS NULL OR runs.started_seq <= ? ORDER BY receipts.id`,
      seq,
    )
    .map((row) => row.body);
}
