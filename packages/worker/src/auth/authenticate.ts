import { RunnerId } from '@filepath/protocol';
import type { Env } from '../env.ts';
import { originOf } from '../http/origins.ts';
import { isApiToken, userOfToken } from './api-tokens.ts';
import { authFor } from './auth.ts';
import { noteDevice } from './devices.ts';
import { bearerOf, isSecret } from './secrets.ts';
import { OWNER_ID } from './sign-in-link.ts';

export const LOCAL_RUNNER = RunnerId.parse('rn_local');

export type SignedIn = {
  readonly userId: string;
  /** The signed-in browser that asks; null where a token does. */
  readonly device: string | null;
  /** By a token that a person made for a program. */
  readonly byToken: boolean;
};

/** Who asks: by bearer token if the request has one, else by cookie. A wrong token is not made good by a cookie. */
export async function authenticate(request: Request, env: Env): Promise<SignedIn | null> {
  if (isOwner(request, env)) return { userId: OWNER_ID, device: null, byToken: false };
  const bearer = bearerOf(request);
  if (bearer !== null && isApiToken(bearer)) {
    const userId = await userOfToken(env, bearer);
    return userId === null ? null : { userId, device: null, byToken: true };
  }
  const headers = credentialsOf(request);
  const origin = originOf(request, env);
  if (!headers || !origin) return null;
  const auth = await authFor(env, origin);
  const found = await auth.api.getSession({
    headers,
    query: { disableRefresh: true },
  });
  if (!found) return null;
  await noteDevice(env, found.session.id);
  return { userId: found.user.id, device: found.session.id, byToken: false };
}

export function isOwner(request: Request, env: Env): boolean {
  const token = bearerOf(request);
  return token !== null && isSecret(token, env.FILEPATH_TOKEN);
}

export function authenticateRunner(request: Request, env: Env): RunnerId | null {
  const token = bearerOf(request);
  return token !== null && isSecret(token, env.FILEPATH_RUNNER_TOKEN) ? LOCAL_RUNNER : null;
}

/** The headers that sign a request in, and no others. */
export function credentialsOf(request: Request): Headers | null {
  const authorization = request.headers.get('authorization');
  if (authorization !== null) return new Headers({ authorization });
  const cookie = request.headers.get('cookie');
  return cookie === null ? null : new Headers({ cookie });
}
