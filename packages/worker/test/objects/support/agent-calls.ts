import type { ThreadId } from '@filepath/protocol';
import { call, message, RUNNER } from './api.ts';
import type { TestRunner } from './runner.ts';

const TOKEN = RUNNER.authorization.replace('Bearer ', '');

/** An agent with the key of its start order. */
export type Holder = { key: string; thread: string; token?: string };

export async function holderOf(runner: TestRunner, thread: ThreadId): Promise<Holder> {
  await message(thread);
  const order = await runner.order(thread);
  return { key: order.kind === 'start' ? order.apiKey : '', thread };
}

/** As a runner passes it on for an agent. */
export const askAs = (
  { key, thread, token = TOKEN }: Holder,
  path: string,
  init: { method?: string; body?: unknown } = {},
): Promise<Response> =>
  call(`/gateway/agent/${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${key}`,
      'x-filepath-runner-token': token,
      'x-filepath-session': key.split('_').slice(1, 3).join('_'),
      'x-filepath-thread': thread,
    },
  });
