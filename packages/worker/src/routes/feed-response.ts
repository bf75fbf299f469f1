import { encodingOf, resumePoint } from '../feed/feed-request.ts';
import { notFound, type Result, unwrap } from '../result.ts';

/** What a thread and a session both are to a reader. */
type FeedObject = {
  page(user: string, after: number, limit: number): Promise<Result<string>>;
  allows(user: string): Promise<boolean>;
  fetch(request: Request): Promise<Response>;
};

/** A feed in the encoding that was asked for. */
export async function feedResponse(
  object: FeedObject,
  input: { userId: string; request: Request; query: { after: number; limit: number } },
): Promise<Response> {
  const { request, userId, query } = input;
  const after = resumePoint(request, query.after);
  const encoding = encodingOf(request);
  if (encoding === 'json') {
    const page = unwrap(await object.page(userId, after, query.limit));
    return new Response(page, {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
  }
  if (!(await object.allows(userId))) throw notFound('this feed');
  // The object sees nothing of the caller's request but what it needs.
  const headers =
    encoding === 'websocket' ? { upgrade: 'websocket' } : { accept: 'text/event-stream' };
  return object.fetch(
    new Request(`https://object.invalid/?after=${after}`, { headers, signal: request.signal }),
  );
}
