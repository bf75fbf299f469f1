import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import type { BetterAuthPlugin } from 'better-auth/types';
import { z } from 'zod';
import { isSecret, sha256 } from './secrets.ts';

/** The one user of an instance; its row comes with the migrations. */
export const OWNER_ID = 'owner';

const LIFETIME_MS = 15 * 60 * 1000;

/** Tokens are hashed at rest: what the database holds opens nothing. */
const identifierOf = (token: string): string =>
  `sign-in-link:${sha256(token).toString('base64url')}`;

/**
 * Sign-in by a link: a single-use token, or the owner's own token. The endpoints are called through `auth.api`
 * by the routes of `routes.ts`, which turn their answers into redirects and JSON.
 */
export const signInLink = (options: { readonly ownerToken: string }) =>
  ({
    id: 'sign-in-link',
    endpoints: {
      createSignInLink: createAuthEndpoint('/link', { method: 'POST' }, async (ctx) => {
        // Links that nobody followed and sessions that ran out leave nothing behind.
        for (const model of ['verification', 'session'])
          await ctx.context.adapter.deleteMany({
            model,
            where: [{ field: 'expiresAt', operator: 'lt', value: new Date() }],
          });
        const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
        await ctx.context.internalAdapter.createVerificationValue({
          identifier: identifierOf(token),
          value: OWNER_ID,
          expiresAt: new Date(Date.now() + LIFETIME_MS),
        });
        return { token };
      }),

      signInByLink: createAuthEndpoint(
        '/sign-in/link',
        { method: 'GET', query: z.object({ token: z.string() }), requireHeaders: true },
        async (ctx) => {
          const { token } = ctx.query;
          const { internalAdapter } = ctx.context;
          const userId = isSecret(token, options.ownerToken)
            ? OWNER_ID
            : (await internalAdapter.consumeVerificationValue(identifierOf(token)))?.value;
          const user = userId ? await internalAdapter.findUserById(userId) : null;
          if (!user) return { signedIn: false };
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(ctx, { session, user });
          return { signedIn: true };
        },
      ),
    },
  }) satisfies BetterAuthPlugin;
