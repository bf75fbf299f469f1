import { type FeedItem, type FeedSource, readBounded } from './feed-source.ts';

const encoder = new TextEncoder();
const KEEP_ALIVE_MS = 20_000;

/**
 * Server-sent events, read from storage at the reader's pace: a reader that stops reading stops being read for.
 */
export class SseReaders {
  #source: FeedSource;
  #waiting = new Set<() => void>();
  #ended = false;

  constructor(source: FeedSource) {
    this.#source = source;
  }

  /** There is something new. */
  wake(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }

  /** There will be nothing more: every reader's stream ends. */
  end(): void {
    this.#ended = true;
    this.wake();
  }

  open(after: number): Response {
    let sent = after;
    let open = true;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(encoder.encode(': filepath\n\n'));
      },
      pull: async (controller) => {
        while (open) {
          if (this.#ended) {
            controller.enqueue(encoder.encode('event: deleted\ndata: {}\n\n'));
            controller.close();
            return;
          }
          const items = readBounded(this.#source, sent);
          const last = items.at(-1);
          if (last) {
            sent = last.seq;
            controller.enqueue(encoder.encode(items.map(sseFrame).join('')));
            return;
          }
          if (!(await this.#news())) {
            controller.enqueue(encoder.encode(': keep-alive\n\n'));
            return;
          }
        }
      },
      cancel: () => {
        open = false;
        this.wake();
      },
    });
    return new Response(body, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    });
  }

  /** True when there is something to read, false when it is time for a sign of life. */
  #news(): Promise<boolean> {
    return new Promise((resolve) => {
      const resume = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(resume);
        resolve(false);
      }, KEEP_ALIVE_MS);
      this.#waiting.add(resume);
    });
  }
}

/** JSON text holds no raw line break, so one data line carries an item. */
function sseFrame(item: FeedItem): string {
  return `id: ${item.seq}\nevent: event\ndata: ${item.json}\n\n`;
}
