import type { WireFormat } from '@filepath/protocol';
import type { Upstream } from './contract.ts';
import { toProvider } from './headers.ts';
import type { Incoming } from './incoming.ts';

export type Outgoing = {
  readonly upstream: Upstream;
  readonly format: WireFormat;
  /** What follows the format's prefix, without a query. */
  readonly path: string;
  readonly stream: boolean;
  readonly method: string;
  /** The query, with its question mark. */
  readonly search: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
};

/** A request as its provider gets it. */
export function outgoingOf(incoming: Incoming, upstream: Upstream, bytes: Uint8Array): Outgoing {
  const { operation, path, method, search, body } = incoming;
  const headers = toProvider(incoming.headers, upstream.headers);
  const stream = body?.stream ?? false;
  return { upstream, format: operation.format, path, method, search, headers, bytes, stream };
}

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
