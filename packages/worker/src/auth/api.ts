import { FilepathError } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { originOf } from '../http/origins.ts';
import { authFor } from './auth.ts';

/** The allowed origin that a request came to. */
export function originFor(request: Request, env: Env): string {
  const origin = originOf(request, env);
  if (origin) return origin;
  throw new FilepathError('misdirected_host', 'This host is not served here.');
}

/** better-auth's endpoints for a request. */
export async function apiFor(request: Request, env: Env) {
  return (await authFor(env, originFor(request, env))).api;
}

/** Of better-auth's headers only the cookies go out. */
export function cookiesAnd(from: Headers, more: Record<string, string>): Headers {
  const headers = new Headers(more);
  for (const cookie of from.getSetCookie()) headers.append('set-cookie', cookie);
  return headers;
}
