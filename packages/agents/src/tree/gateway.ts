import { setTimeout } from 'node:timers/promises';
import { ErrorBody } from '@filepath/protocol';
import { z } from 'zod';

/** Where an agent asks about its children and memory, and with what key. */
export type TreeGateway = { readonly baseUrl: string; readonly apiKey: string };

/**
 * Tried again after these, for five minutes: the worker may be starting, or be killed again and again. Every request
 * can be repeated.
 */
const AGAIN_MS: readonly number[] = [500, 1_500, 4_000, ...Array<number>(58).fill(5_000)];

const Details = z.array(z.object({ path: z.string(), reason: z.string() }));

type Asked = {
  readonly path: string;
  /** Posted; without it, something is read. */
  readonly body?: unknown;
  readonly method?: 'DELETE';
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
};

/** The answer; what is refused is thrown in the worker's own words. */
export async function askGateway(gateway: TreeGateway, asked: Asked): Promise<unknown> {
  for (const [tries, wait] of [...AGAIN_MS, null].entries()) {
    const answer = await once(gateway, asked).catch((error: unknown) => {
      asked.signal.throwIfAborted();
      if (wait === null) throw error;
      return null;
    });
    if (answer !== null && (wait === null || !mayPass(answer.status, tries))) return read(answer);
    await setTimeout(wait ?? 0, undefined, { signal: asked.signal });
  }
  throw new Error('filepath did not answer.');
}

/** Nobody is there who could answer: that passes. What fails inside of the worker may fail for ever. */
function mayPass(status: number, tries: number): boolean {
  return (status >= 502 && status <= 504) || (status >= 500 && tries < 3);
}

function once(
  { baseUrl, apiKey }: TreeGateway,
  { path, body, method, timeoutMs = 30_000, signal }: Asked,
): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}` };
  return fetch(`${baseUrl}/agent/${path}`, {
    ...(body === undefined
      ? { headers, ...(method && { method }) }
      : {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
}

async function read(answer: Response): Promise<unknown> {
  const said: unknown = await answer.json().catch(() => null);
  if (answer.ok) return said;
  const refused = ErrorBody.safeParse(said).data?.error;
  if (refused === undefined) throw new Error(`filepath answered ${answer.status}.`);
  const details = Details.safeParse(refused.details).data ?? [];
  throw new Error(
    [refused.message, ...details.map(({ path, reason }) => `${path}: ${reason}`)].join('\n'),
  );
}
