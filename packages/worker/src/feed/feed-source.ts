/** One item of a feed as the JSON text that goes out. */
export type FeedItem = { seq: number; json: string };

/** Where a feed reads from. Items come in order of seq, those after `after`. */
export interface FeedSource {
  head(): number;
  read(after: number, limit: number): FeedItem[];
}

const MAX_BYTES = 256 * 1024;
const MAX_ITEMS = 500;

/** A page bounded in items and in characters; never empty when there is something to read. */
export function readBounded(source: FeedSource, after: number): FeedItem[] {
  const items = source.read(after, MAX_ITEMS);
  let size = 0;
  const cut = items.findIndex((item) => (size += item.json.length) > MAX_BYTES);
  return cut <= 0 ? items.slice(0, cut === 0 ? 1 : undefined) : items.slice(0, cut);
}
