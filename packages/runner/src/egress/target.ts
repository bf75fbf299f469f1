import { canonicalHost } from '@filepath/protocol';

/** Where a client of the proxy wants to go. */
export type Target = { host: string; port: number };

/** Nothing but a host and a port: no userinfo, no zone, no percent sign, ASCII. */
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
const ABSOLUTE = /^http:\/\/([^/?#\\]*)([/?][^#]*)?$/i;

export function parseAuthority(text: string, usualPort: number | null): Target | null {
  const [, name = '', digits] = AUTHORITY.exec(text) ?? [];
  const host = canonicalHost(name);
  const port = digits === undefined ? usualPort : Number(digits);
  if (host === null || port === null || port < 1 || port > 65535) return null;
  return { host, port };
}

/** `http://host:port/path`, as a client writes it to a proxy. */
export function parseAbsolute(text: string): (Target & { path: string }) | null {
  const [, authority = '', rest = '/'] = ABSOLUTE.exec(text) ?? [];
  const target = parseAuthority(authority, 80);
  if (target === null) return null;
  return { ...target, path: rest.startsWith('?') ? `/${rest}` : rest };
}

/** As it stands in a Host header. */
export function showTarget({ host, port }: Target, usualPort: number | null): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return port === usualPort ? shown : `${shown}:${port}`;
}
