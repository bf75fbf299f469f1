import { decodeLogEvent, GENESIS } from '@filepath/protocol';
import { readBounded } from '../feed/feed-source.ts';
import { first, type Sql } from '../storage/sql.ts';
import type { Thread } from './thread.ts';
import type { ThreadFeed } from './thread-feed.ts';

/** Where a page begins: events up to a fixed seq first, then the receipts that they gave. */
export type ExportCursor = { upTo: number; event: number; receipt: number };

export type ExportPage = {
  name: string;
  lines: string[];
  next: ExportCursor;
  /** The hash of the last event, when this page is the last. */
  head: string | null;
};

const RECEIPTS = 500;

/** One page of an export. What is appended after its first page does not change it. */
export function exportPage(
  sql: Sql,
  parts: { thread: Thread; feed: ThreadFeed },
  cursor: ExportCursor | null,
): ExportPage {
  const at = cursor ?? { upTo: parts.feed.head(), event: 0, receipt: 0 };
  const { name } = parts.thread.meta;
  if (at.event < at.upTo) {
    const items = readBounded(parts.feed, at.event).filter((item) => item.seq <= at.upTo);
    const lines = items.map((item) => `{"type":"event","event":${item.json}}`);
    return { name, lines, next: { ...at, event: items.at(-1)?.seq ?? at.upTo }, head: null };
  }
  const receipts = sql.all<{ id: number; body: string }>(
    'SELECT id, body FROM receipts WHERE id > ? AND seq <= ? ORDER BY id LIMIT ?',
    at.receipt,
    at.upTo,
    RECEIPTS,
  );
  const lines = receipts.map(({ body }) => `{"type":"receipt","receipt":${body}}`);
  const next = { ...at, receipt: receipts.at(-1)?.id ?? at.receipt };
  return { name, lines, next, head: receipts.length < RECEIPTS ? headAt(sql, at.upTo) : null };
}

function headAt(sql: Sql, seq: number): string {
  const row = first<{ json: string }>(sql, 'SELECT json FROM log WHERE seq = ?', seq);
  return row ? decodeLogEvent(row.json).hash : GENESIS;
}
