import type { Upstream } from './contract.ts';

const CONNECT_MS = 3000;

/**
 * Whether a provider takes connections. `fetch` says of a refused connection what it says of one that broke off
 * after the request was sent; only the second can have cost something.
 */
export async function reached({ url }: Pick<Upstream, 'url'>): Promise<boolean> {
  if (url === null) return true;
  const { connect } = await import('cloudflare:sockets');
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), CONNECT_MS);
  socket.opened.then(
    () => resolve(true),
    () => resolve(false),
  );
  socket.closed.catch(() => undefined);
  const open = await promise;
  clearTimeout(timer);
  await socket.close().catch(() => undefined);
  return open;
}
