import { type AllowedHost, canonicalHost, parseAllowedHost } from '@filepath/protocol';

/** Where a request goes, in the one spelling of its URL. */
export type WebTarget = { readonly url: string; readonly host: string; readonly port: number };

/** Nothing but a host and a port: no userinfo, no zone, no percent sign, ASCII. */
const SHAPE =
  /^(https?):\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?([/?][^#]*)?(?:#.*)?$/i;
const USUAL: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** Null for what is no URL of the web, or one that others might read in another way. */
export function webTarget(text: string): WebTarget | null {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return null;
  const [, scheme = '', name = '', digits, rest = '/'] = SHAPE.exec(text) ?? [];
  const host = canonicalHost(name);
  const usual = USUAL[scheme.toLowerCase()];
  if (host === null || usual === undefined) return null;
  const port = digits === undefined ? usual : Number(digits);
  if (port < 1 || port > 65535) return null;
  const shown = host.includes(':') ? `[${host}]` : host;
  const path = rest.startsWith('?') ? `/${rest}` : rest;
  const at = port === usual ? shown : `${shown}:${port}`;
  return { url: `${scheme.toLowerCase()}://${at}${path}`, host, port };
}

/** Whether a host is written as an address, in whatever spelling. */
export const isAddress = (host: string): boolean =>
  host.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);

const USUAL_PORTS = [80, 443];

/** By whole labels, never by the beginning of a name. */
export function isNamed({ host, port }: WebTarget, list: readonly string[]): boolean {
  return list.some((text) => {
    const entry = parseAllowedHost(text);
    if (entry === null || !matches(entry, host)) return false;
    return entry.port === null ? USUAL_PORTS.includes(port) : entry.port === port;
  });
}

/** Hosts with ports that the operator permits although their addresses are private. */
export function isPermitted({ host, port }: WebTarget, list: string | undefined): boolean {
  return (list ?? '').split(',').some((text) => {
    const entry = parseAllowedHost(text.trim());
    return entry !== null && !entry.below && entry.host === host && entry.port === port;
  });
}

const matches = (entry: AllowedHost, host: string): boolean =>
  entry.below ? host.endsWith(`.${entry.host}`) : host === entry.host;
