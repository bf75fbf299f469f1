/** One item of a feed as the JSON text that goes out. */
export type FeedItem = { seq: number; json: string };

/**
 * Where a feed reads from. Items come in order of seq, those after `after`; once they have `enough` characters,
 * no more need to be read.
 */
export interface FeedSource {
  head(): number;
  read(after: number, limit: number, enough: number): FeedItem[];
}

const MAX_CHARS = 256 * 1024;
const MAX_ITEMS = 500;

/** A page bounded in items and in characters; never empty when there is something to read. */
export function readBounded(source: FeedSource, after: number): FeedItem[] {
  return upToChars(source.read(after, MAX_ITEMS, MAX_CHARS), MAX_CHARS);
}

/** The items that fit into so many characters, and at least the first. */
export function upToChars(items: readonly FeedItem[], chars: number): FeedItem[] {
  let size = 0;
  const cut = items.findIndex((item, i) => (size += item.json.length) > chars && i > 0);
  return cut < 0 ? [...items] : items.slice(0, cut);
}
