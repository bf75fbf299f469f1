import type { Upstream } from './contract.ts';

export type Outgoing = {
  readonly upstream: Upstream;
  readonly method: string;
  /** The query, with its question mark. */
  readonly search: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
};

/** Asks whoever answers for a model. */
export type Sender = {
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Response>;
  /** After a request that had no answer: whether it can have arrived at all. */
  reached(upstream: Upstream): Promise<boolean>;
};

/** By HTTP. Redirects are not followed: whoever they lead to would be shown the key. */
export function overHttp(
  fetcher: typeof fetch,
  reached: Sender['reached'],
  offline: (outgoing: Outgoing) => Response,
): Sender {
  return {
    send: async (outgoing, signal) => {
      const { upstream, method, search, headers, bytes } = outgoing;
      if (upstream.url === null) return offline(outgoing);
      const body = bytes.length === 0 ? {} : { body: bytes };
      return fetcher(withQuery(upstream.url, search), {
        method,
        headers,
        redirect: 'manual',
        signal,
        ...body,
      });
    },
    reached,
  };
}

function withQuery(url: string, search: string): string {
  if (search === '') return url;
  return `${url}${url.includes('?') ? `&${search.slice(1)}` : search}`;
}
