import type { FeedItem, FeedSource } from '../feed/feed-source.ts';
import type { Sql } from '../storage/sql.ts';
import type { Thread } from './thread.ts';

/** A thread's log as a feed. */
export class ThreadFeed implements FeedSource {
  #sql: Sql;
  #thread: Thread;

  constructor(sql: Sql, thread: Thread) {
    this.#sql = sql;
    this.#thread = thread;
  }

  head(): number {
    return this.#thread.state.seq;
  }

  read(after: number, limit: number, enough: number): FeedItem[] {
    const rows = this.#sql.iterate<FeedItem>(
      'SELECT seq, json FROM log WHERE seq > ? ORDER BY seq LIMIT ?',
      after,
      limit,
    );
    const items: FeedItem[] = [];
    let size = 0;
    for (const { seq, json } of rows) {
      items.push({ seq, json });
      size += json.length;
      if (size >= enough) break;
    }
    return items;
  }
}
