import type { Env } from '../env.ts';

/** The last that were read: they are asked for with every request, and are always the same. */
let known: { readonly text: string; readonly origins: readonly URL[] } | null = null;

/** The origins of `FILEPATH_ORIGINS`. An entry that is no http(s) origin is left out rather than guessed at. */
export function allowedOrigins(env: Pick<Env, 'FILEPATH_ORIGINS'>): readonly URL[] {
  const text = env.FILEPATH_ORIGINS ?? '';
  if (known?.text !== text) known = { text, origins: readOrigins(text) };
  return known.origins;
}

function readOrigins(list: string): readonly URL[] {
  return list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => URL.canParse(text))
    .map((text) => new URL(text))
    .filter((url) => /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`);
}

/**
 * The allowed origin that a request came to. Behind a proxy that ends TLS the request itself says http, so the
 * configuration decides the scheme wherever it names one.
 */
export function originOf(request: Request, env: Pick<Env, 'FILEPATH_ORIGINS'>): string | null {
  const url = new URL(request.url);
  const candidates = allowedOrigins(env).filter((allowed) => allowed.host === url.host);
  const exact = candidates.find((allowed) => allowed.protocol === url.protocol);
  return (exact ?? candidates[0])?.origin ?? null;
}
