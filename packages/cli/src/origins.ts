import { networkInterfaces } from 'node:os';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** The origins under which the page may be asked for. A name that is not here is refused: see `Host` in SPEC.md. */
export function originsOf(host: string, port: number): string {
  const hosts = new Set([...LOOPBACK, ...(isWildcard(host) ? ownAddresses() : [inUrl(host)])]);
  return [...hosts].map((name) => `http://${name}:${port}`).join(',');
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '*';
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ scopeid }) => scopeid === undefined || scopeid === 0)
    .map(({ address }) => inUrl(address));
}

function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
