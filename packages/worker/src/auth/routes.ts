import { z } from 'zod';
import { defineRoute, json, type Route } from '../http/route.ts';
import { apiFor, cookiesAnd, originFor } from './api.ts';
import { credentialsOf } from './authenticate.ts';
import { mintLink } from './mint-link.ts';
import { OWNER_ID } from './sign-in-link.ts';

const Identity = z.object({
  user: z.object({ id: z.string() }),
  /** Null when the request was signed in by the owner's token. */
  session: z.object({ expiresAt: z.iso.datetime() }).nullable(),
});

const LIFETIME_MS = 15 * 60 * 1000;

const signIn = defineRoute(
  {
    method: 'GET',
    path: '/api/auth/sign-in/link',
    summary: 'Sign in by a single-use token or the owner’s token; sets the cookie and redirects.',
    access: 'open',
    query: z.object({ token: z.string().optional() }),
    responses: { 303: { description: 'To where the link leads, or to `/sign-in?error=expired`.' } },
  },
  async ({ env, request, query }) => {
    const { headers, response } = await (
      await apiFor(request, env)
    ).signInByLink({
      query: { token: query.token ?? '' },
      headers: request.headers,
      returnHeaders: true,
    });
    const to = response.to ?? '/sign-in?error=expired';
    return new Response(null, { status: 303, headers: cookiesAnd(headers, { location: to }) });
  },
);

const createLink = defineRoute(
  {
    method: 'POST',
    path: '/api/auth/link',
    summary: 'Mint a sign-in link that works once, within 15 minutes.',
    access: 'owner',
    responses: { 201: { description: 'The link.', schema: z.object({ url: z.url() }) } },
  },
  async ({ env, request }) => {
    const purpose = { userId: OWNER_ID, to: '/', lifetimeMs: LIFETIME_MS };
    const { url } = await mintLink(env, request, originFor(request, env), purpose);
    return json({ url }, 201);
  },
);

/** The session's token stays out of the answer: scripts of the page have no use for it. */
const getSession = defineRoute(
  {
    method: 'GET',
    path: '/api/auth/get-session',
    summary: 'Who is signed in. Extends the session.',
    access: 'user',
    responses: { 200: { description: 'The signed-in user.', schema: Identity } },
  },
  async ({ env, request, userId }) => {
    const { headers, response } = await (
      await apiFor(request, env)
    ).getSession({
      headers: credentialsOf(request) ?? new Headers(),
      returnHeaders: true,
    });
    const session = response ? { expiresAt: response.session.expiresAt.toISOString() } : null;
    const identity: z.infer<typeof Identity> = { user: { id: userId }, session };
    return json(identity, 200, cookiesAnd(response ? headers : new Headers(), {}));
  },
);

const signOut = defineRoute(
  {
    method: 'POST',
    path: '/api/auth/sign-out',
    summary: 'End the session.',
    access: 'user',
    responses: { 200: { description: 'Ended.', schema: z.object({ success: z.literal(true) }) } },
  },
  async ({ env, request }) => {
    const { headers } = await (
      await apiFor(request, env)
    ).signOut({
      headers: credentialsOf(request) ?? new Headers(),
      returnHeaders: true,
    });
    return json({ success: true }, 200, cookiesAnd(headers, {}));
  },
);

export const authRoutes: readonly Route[] = [signIn, createLink, getSession, signOut];
