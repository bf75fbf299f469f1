import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import type { BetterAuthPlugin } from 'better-auth/types';
import { z } from 'zod';
import { isSecret, sha256 } from './secrets.ts';

/** The one user of an instance; its row comes with the migrations. */
export const OWNER_ID = 'owner';

/** Whom a link signs in, and the path that it leads to. */
const Purpose = z.object({ userId: z.string(), to: z.string() });

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
      createSignInLink: createAuthEndpoint(
        '/link',
        { method: 'POST', body: Purpose.extend({ expiresAt: z.date() }) },
        async (ctx) => {
          // Links that nobody followed and sessions that ran out leave nothing behind.
          for (const model of ['verification', 'session'])
            await ctx.context.adapter.deleteMany({
              model,
              where: [{ field: 'expiresAt', operator: 'lt', value: new Date() }],
            });
          const { expiresAt, ...purpose } = ctx.body;
          const random = crypto.getRandomValues(new Uint8Array(32));
          const token = Buffer.from(random).toString('base64url');
          await ctx.context.internalAdapter.createVerificationValue({
            identifier: identifierOf(token),
            value: JSON.stringify(purpose),
            expiresAt,
          });
          return { token };
        },
      ),

      signInByLink: createAuthEndpoint(
        '/sign-in/link',
        { method: 'GET', query: z.object({ token: z.string() }), requireHeaders: true },
        async (ctx) => {
          const { token } = ctx.query;
          const { internalAdapter } = ctx.context;
          const purpose = isSecret(token, options.ownerToken)
            ? { userId: OWNER_ID, to: '/' }
            : purposeOf(await internalAdapter.consumeVerificationValue(identifierOf(token)));
          const user = purpose ? await internalAdapter.findUserById(purpose.userId) : null;
          if (!user || !purpose) return { to: null };
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(ctx, { session, user });
          return { to: purpose.to };
        },
      ),

      /** For whoever has proven who they are in another way. */
      signInAs: createAuthEndpoint(
        '/sign-in/as',
        { method: 'POST', body: z.object({ userId: z.string() }), requireHeaders: true },
        async (ctx) => {
          const { internalAdapter } = ctx.context;
          const user = await internalAdapter.findUserById(ctx.body.userId);
          if (!user) return { signedIn: false };
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(ctx, { session, user });
          return { signedIn: true };
        },
      ),
    },
  }) satisfies BetterAuthPlugin;

function purposeOf(stored: { value: string } | null | undefined): z.infer<typeof Purpose> | null {
  return stored ? Purpose.parse(JSON.parse(stored.value)) : null;
}
