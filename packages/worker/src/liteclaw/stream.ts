import type { UiChunk } from './answer.ts';

/**
 * An answer as server-sent events, for the SDK. It reads each part of the body by itself: an event must not be cut in
 * two, so that each is one part.
 */
export function uiResponse(work: (write: (chunk: UiChunk) => void) => Promise<void>): Response {
  const encoder = new TextEncoder();
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (chunk: UiChunk): void => {
        if (open) controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
      };
      const end = (): void => {
        if (open) controller.close();
        open = false;
      };
      void work(write).then(end, end);
    },
    cancel: () => {
      open = false;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
