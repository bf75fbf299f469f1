import { FilepathError, newThreadId } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { followThread } from '../src/sse.ts';
import { serve } from './server.ts';
import { newKey, signedExport } from './signed-export.ts';

const thread = newThreadId();
const { events } = signedExport(newKey(), ['1', '2', '3', '4', '5'], thread);
const frames = events.map(
  ({ event }) => `id: ${event.seq}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`,
);

it('[FEED2] goes on after a cut with Last-Event-ID, and gives each event once', async () => {
  const asked: (string | undefined)[] = [];
  using server = await serve((request, response) => {
    const last = request.headers['last-event-id'];
    asked.push(typeof last === 'string' ? last : undefined);
    expect(request.headers.authorization).toBe('Bearer secret');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // The second connection repeats an event that the first one sent already.
    if (asked.length === 1) {
      response.write(`: filepath\n\n${frames.slice(0, 3).join('')}id: 4\ndata: {"se`, () =>
        response.destroy(),
      );
    } else {
      response.write(frames.slice(2).join(''));
    }
  });
  const reading = new AbortController();
  const states: string[] = [];
  const seen: number[] = [];
  for await (const event of followThread(thread, {
    url: server.url,
    token: 'secret',
    signal: reading.signal,
    onState: (state) => states.push(state),
  })) {
    seen.push(event.seq);
    if (event.seq === 5) reading.abort();
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(asked).toEqual(['0', '3']);
  expect(states).toEqual(['lost', 'back']);
});

it('ends with the reason when it is refused', async () => {
  using server = await serve((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":{"code":"not_found","message":"There is no such thread."}}');
  });
  const feed = { url: server.url, token: 'secret', signal: new AbortController().signal };
  const read = followThread(thread, feed).next();
  await expect(read).rejects.toThrow(new FilepathError('not_found', 'There is no such thread.'));
});
