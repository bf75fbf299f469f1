import type { ThreadId, TunnelId } from '../../ids.ts';
import { isSignedBy } from '../hashing.ts';
import { requestClaim, TUNNEL_LIMITS, TunnelRequest } from './wire.ts';

export type RequestFault =
  'forged' | 'unreadable' | 'elsewhere' | 'stale' | 'early' | 'expired' | 'replayed' | 'too_many';

type Of = {
  readonly signer: string;
  readonly thread: ThreadId;
  readonly tunnel: TunnelId;
  readonly now: () => number;
};

/** Requests remembered of one connection; each is forgotten when its time is over. */
const REMEMBERED = 4096;

/** Tells which requests a machine obeys: signed by its chat, of this connection, of now, and each of them once. */
export class TunnelRequests {
  #of: Of;
  #session: string | null = null;
  #seen = new Map<string, number>();

  constructor(of: Of) {
    this.#of = of;
  }

  /** A new connection: nothing of an older one holds any more. */
  open(session: string): void {
    this.#session = session;
    this.#seen.clear();
  }

  async take(
    text: string,
    signature: string,
  ): Promise<
    | { readonly ok: true; readonly request: TunnelRequest }
    | { readonly ok: false; readonly fault: RequestFault; readonly nonce: string | null }
  > {
    const { signer, thread, tunnel, now } = this.#of;
    const no = (fault: RequestFault, nonce: string | null = null) =>
      ({ ok: false, fault, nonce }) as const;
    if (!(await isSignedBy(signer, signature, requestClaim(text)))) return no('forged');
    const request = parse(text);
    if (request === null) return no('unreadable');
    const { nonce } = request;
    if (request.thread !== thread || request.tunnel !== tunnel) return no('elsewhere', nonce);
    if (request.session !== this.#session) return no('stale', nonce);
    const at = Date.parse(request.at);
    const end = Math.min(Date.parse(request.expires), at + TUNNEL_LIMITS.requestMs);
    const { skewMs } = TUNNEL_LIMITS;
    if (at > now() + skewMs) return no('early', nonce);
    if (end + skewMs <= now() || end <= at) return no('expired', nonce);
    if (this.#seen.has(nonce)) return no('replayed', nonce);
    for (const [old, until] of this.#seen) if (until <= now()) this.#seen.delete(old);
    if (this.#seen.size >= REMEMBERED) return no('too_many', nonce);
    this.#seen.set(nonce, end + skewMs);
    return { ok: true, request };
  }
}

function parse(text: string): TunnelRequest | null {
  try {
    return TunnelRequest.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
