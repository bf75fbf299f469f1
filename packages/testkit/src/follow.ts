import { createClient } from '@filepath/client';
import type { LogEvent } from '@filepath/protocol';
import WebSocket from 'ws';

export type Follower = {
  readonly events: LogEvent[];
  /** Resolves when the feed is connected for the first time. */
  readonly live: Promise<void>;
  /** Resolves with the first event, past or coming, that fits. */
  until(fits: (event: LogEvent) => boolean): Promise<LogEvent>;
  close(): void;
};

/** Follows a thread over WebSocket as the browser does: resumes by itself, acknowledges, keeps order. */
export function follow(
  instance: { url: string; token: string },
  thread: string,
  onEvents?: (events: readonly LogEvent[]) => void,
): Follower {
  const events: LogEvent[] = [];
  const waiting = new Set<(event: LogEvent) => void>();
  const abort = new AbortController();
  const client = createClient({
    baseUrl: instance.url,
    token: instance.token,
    openSocket: (url, headers) => new WebSocket(url, { headers }),
  });
  const { promise: live, resolve: isLive } = Promise.withResolvers<void>();
  client.followThread(thread, {
    signal: abort.signal,
    onState: (state) => {
      if (state === 'live') isLive();
    },
    onEvents: (batch) => {
      onEvents?.(batch);
      for (const event of batch) events.push(event);
      for (const event of batch) for (const check of waiting) check(event);
    },
  });
  return {
    events,
    live,
    until: (fits) =>
      new Promise((resolve) => {
        const known = events.find(fits);
        if (known) {
          resolve(known);
          return;
        }
        const check = (event: LogEvent): void => {
          if (!fits(event)) return;
          waiting.delete(check);
          resolve(event);
        };
        waiting.add(check);
      }),
    close: () => {
      abort.abort();
    },
  };
}

export const isType =
  (type: string) =>
  (event: LogEvent): boolean =>
    typeof event.body === 'object' &&
    event.body !== null &&
    Reflect.get(event.body, 'type') === type;
