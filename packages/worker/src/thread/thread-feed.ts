import type { FeedItem, FeedSource } from '../feed/feed-source.ts';
import type { Sql } from '../storage/sql.ts';
import type { Thread } from './thread.ts';

type LogRow = {
  seq: number;
  run: string | null;
  step: string | null;
  event: number;
  at: string;
  source: string;
  body: string;
  hash: string;
};

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

  read(after: number, limit: number): FeedItem[] {
    const { thread } = this.#thread.meta;
    return this.#sql
      .all<LogRow>(
        'SELECT seq, run, step, event, at, source, body, hash FROM log WHERE seq > ? ORDER BY seq LIMIT ?',
        after,
        limit,
      )
      .map((row) => ({
        seq: row.seq,
        json: `{"seq":${row.seq},"thread":"${thread}","run":${JSON.stringify(row.run)},"step":${JSON.stringify(row.step)},"event":${row.event},"at":"${row.at}","source":"${row.source}","body":${row.body},"hash":"${row.hash}"}`,
      }));
  }
}
