import {
  decodeLogEvent,
  ErrorBody,
  FilepathError,
  LIMITS,
  type LogEvent,
  readLines,
} from '@filepath/protocol';

const STALLED_MS = 60_000;
const RETRY_MS = [100, 250, 500, 1000, 2000, 5000];

type Feed = {
  url: string;
  token: string;
  signal: AbortSignal;
  onState?: (state: 'lost' | 'back') => void;
};

/** The events of a thread as server-sent events, over as many connections as it takes. Each comes once. */
export async function* followThread(thread: string, feed: Feed): AsyncGenerator<LogEvent> {
  let last = 0;
  let failures = 0;
  while (!feed.signal.aborted) {
    try {
      for await (const event of connection(thread, last, feed)) {
        if (failures > 0) feed.onState?.('back');
        failures = 0;
        if (event.seq <= last) continue;
        last = event.seq;
        yield event;
      }
    } catch (error) {
      if (feed.signal.aborted) return;
      if (error instanceof FilepathError) throw error;
    }
    if (failures === 0) feed.onState?.('lost');
    await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, feed.signal);
    failures += 1;
  }
}

async function* connection(thread: string, after: number, feed: Feed): AsyncGenerator<LogEvent> {
  const stalled = new AbortController();
  const alive = watchdog(STALLED_MS, () => stalled.abort());
  try {
    const response = await fetch(new URL(`/api/thread/${thread}/events`, feed.url), {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${feed.token}`,
        'last-event-id': String(after),
      },
      signal: AbortSignal.any([feed.signal, stalled.signal]),
    });
    if (!response.ok || response.body === null) throw await refusal(response);
    for await (const line of readLines(response.body, 2 * LIMITS.frame)) {
      alive.reset();
      if (line.text?.startsWith('data:')) yield eventOf(line.text.slice(5));
    }
  } finally {
    alive.end();
  }
}

function eventOf(text: string): LogEvent {
  try {
    return decodeLogEvent(text);
  } catch {
    throw new FilepathError(
      'internal',
      'filepath sent an event that this version cannot read. Update the older side.',
    );
  }
}

/** What a repeated request could change is thrown as a plain error, and tried again. */
async function refusal(response: Response): Promise<Error> {
  const body = ErrorBody.safeParse(await response.json().catch(() => null));
  const message = body.success ? body.data.error.message : `status ${response.status}`;
  if (response.status >= 500 || response.status === 429) return new Error(message);
  return new FilepathError(body.success ? body.data.error.code : 'bad_request', message);
}

function watchdog(ms: number, bark: () => void) {
  const timer = setTimeout(bark, ms);
  return { reset: () => timer.refresh(), end: () => clearTimeout(timer) };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
