import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { SETUP_WORKER } from './setup-worker.ts';

type Ask = { readonly method?: string; readonly body?: unknown; readonly timeoutMs: number };
type Answer = { readonly status: number; readonly text: string };

/** Asks the setup worker through the socket in the home, which only the home's owner can open. */
export function askSetup(sockets: string, ask: Ask): Promise<Answer> {
  const { body, timeoutMs, method = body === undefined ? 'GET' : 'POST' } = ask;
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        socketPath: join(sockets, 'entry'),
        path: '/',
        method,
        headers: { Host: 'localhost', 'MF-Route-Override': SETUP_WORKER },
        signal: AbortSignal.timeout(timeoutMs),
        agent: false,
      },
      (response) => {
        text(response).then(
          (answer) => resolve({ status: response.statusCode ?? 0, text: answer }),
          reject,
        );
      },
    );
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A workerd that refuses or drops the connection is not frozen but ended, and is being restarted. */
export async function answersInTime(sockets: string, timeoutMs: number): Promise<boolean> {
  try {
    await askSetup(sockets, { timeoutMs });
    return true;
  } catch (error) {
    return !(
      error instanceof Error &&
      (error.name === 'AbortError' || error.name === 'TimeoutError')
    );
  }
}
