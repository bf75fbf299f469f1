import type { FeedItem, FeedSource } from '../feed/feed-source.ts';
import type { Session } from './session.ts';

/** A session's tree as a feed of states: what changed after a seq, never more than the tree has. */
export class TreeFeed implements FeedSource {
  #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  head(): number {
    return this.#session.meta.head;
  }

  read(after: number, limit: number): FeedItem[] {
    const items = this.#session.nodes
      .changedAfter(after, limit)
      .map((row) => this.#session.feedItem(row));
    if (this.#session.meta.changeSeq > after) items.push(this.#session.sessionItem());
    return items.sort((a, b) => a.seq - b.seq).slice(0, limit);
  }
}
