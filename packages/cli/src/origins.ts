import { networkInterfaces } from 'node:os';

import { EngineError } from '@filepath/worker/engine';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** The origins under which the page may be asked for. A name that is not here is refused: see `Host` in SPEC.md. */
export function originsOf(host: string, port: number, named: string | null = null): string {
  const hosts = new Set([...LOOPBACK, ...(isWildcard(host) ? ownAddresses() : [inUrl(host)])]);
  const own = [...hosts].map((name) => `http://${name}:${port}`);
  return [...own, ...(named === null ? [] : [named])].join(',');
}

/** The origin under which a proxy shows this instance; null if none is set. */
export function namedOrigin(env: Readonly<Record<string, string | undefined>>): string | null {
  const text = env['FILEPATH_ORIGIN']?.trim() ?? '';
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    [url.origin, `${url.origin}/`].includes(text)
  ) {
    return url.origin;
  }
  throw new EngineError(
    `FILEPATH_ORIGIN is ${JSON.stringify(text.slice(0, 200))}; give an origin like https://agents.example.com, without a path.`,
  );
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
