import { FilepathError, LIMITS } from '@filepath/protocol';
import { z } from 'zod';
import { type FeedSource, upToChars } from './feed-source.ts';

/** How a client asks for a feed; the encoding follows from its headers. */
export const FeedQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(LIMITS.page).default(LIMITS.page),
});

/** A page may hold fewer items than were asked for. */
const PAGE_CHARS = 4 * LIMITS.frame;

export type FeedEncoding = 'json' | 'sse' | 'websocket';

export function encodingOf(request: Request): FeedEncoding {
  if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') return 'websocket';
  return request.headers.get('accept')?.includes('text/event-stream') ? 'sse' : 'json';
}

/** `Last-Event-ID` wins over `after`: a browser that reconnects by itself repeats the old address. */
export function resumePoint(request: Request, after: number): number {
  const last = request.headers.get('last-event-id');
  if (last === null || last === '') return after;
  const seq = Number(last);
  if (!Number.isSafeInteger(seq) || seq < 0) {
    throw new FilepathError('bad_request', 'Last-Event-ID is not a seq of this feed');
  }
  return seq;
}

/** A JSON page; `next` is the seq to ask after, or null when this page reached the end. */
export function jsonPage(source: FeedSource, after: number, limit: number): string {
  const items = upToChars(source.read(after, limit, PAGE_CHARS), PAGE_CHARS);
  const last = items.at(-1);
  const next = last && last.seq < source.head() ? last.seq : null;
  return `{"events":[${items.map((item) => item.json).join(',')}],"next":${next}}`;
}
