import { FilepathError } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { allowedOrigins } from './origins.ts';
import { requestUrl } from './request-url.ts';

/**
 * Host, then Origin, before anything else looks at a request: names that rebind to this address and pages of
 * other sites stop here, for static files and WebSockets too.
 */
export function guard(request: Request, env: Pick<Env, 'FILEPATH_ORIGINS'>): void {
  const allowed = allowedOrigins(env);
  const { host } = requestUrl(request);
  const serves = (name: string | null): boolean => allowed.some((origin) => origin.host === name);
  const header = request.headers.get('host') ?? host;
  if (!serves(host) || (header !== host && !serves(hostOf(header, request.url)))) {
    throw new FilepathError(
      'misdirected_host',
      'This host name is not served here. Use an address that the start command printed.',
    );
  }
  const origin = request.headers.get('origin');
  const sameOrigin = origin === null || allowed.some((each) => each.origin === origin);
  if (!sameOrigin || isForeignFetch(request)) {
    throw new FilepathError(
      'forbidden_origin',
      'Pages of another origin may not call this one. Open it directly.',
    );
  }
}

/** The browser says that another site's page asks, and not by navigating here. */
function isForeignFetch(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return false;
  const navigation = request.headers.get('sec-fetch-mode') === 'navigate';
  return !(navigation && (request.method === 'GET' || request.method === 'HEAD'));
}

/** A Host header in the form in which `URL` gives hosts: lower case, without the scheme's own port. */
function hostOf(header: string, url: string): string | null {
  if (!/^[A-Za-z0-9.:[\]-]+$/.test(header)) return null;
  const text = `${new URL(url).protocol}//${header}`;
  return URL.canParse(text) ? new URL(text).host : null;
}
