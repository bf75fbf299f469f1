import {
  FilepathError,
  Passkey,
  PasskeyCreate,
  PasskeyId,
  PasskeySignIn,
} from '@filepath/protocol';
import { z } from 'zod';
import { apiFor, cookiesAnd, originFor } from '../auth/api.ts';
import { listPasskeys, removePasskey } from '../auth/passkey-table.ts';
import { register, registrationOptions, signInOptions, userOfPasskey } from '../auth/passkeys.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { notFound } from '../result.ts';

const MAX_BODY = 64 * 1024;
/** As `navigator.credentials` takes them. */
const Options = z.record(z.string(), z.unknown());

export const passkeyRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/passkeys',
      summary: 'The passkeys of the caller.',
      access: 'person',
      responses: {
        200: { description: 'Newest first.', schema: z.object({ passkeys: z.array(Passkey) }) },
      },
    },
    async ({ env, userId }) => json({ passkeys: await listPasskeys(env, userId) }),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/auth/passkey/registration',
      summary: 'What a browser needs to make a passkey here. Good for five minutes.',
      access: 'person',
      responses: {
        200: { description: 'WebAuthn’s options for a new credential.', schema: Options },
        409: { description: 'The address is none for which browsers make passkeys.' },
      },
    },
    async ({ env, request, userId }) =>
      json(await registrationOptions({ env, origin: originFor(request, env) }, userId)),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/passkeys',
      summary: 'Register the passkey that the browser made.',
      access: 'person',
      body: PasskeyCreate,
      maxBody: MAX_BODY,
      responses: { 201: { description: 'Stored.', schema: z.object({ passkey: Passkey }) } },
    },
    async ({ env, request, userId, body }) => {
      const place = { env, origin: originFor(request, env) };
      return json({ passkey: await register(place, userId, body) }, 201);
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/passkeys/:passkeyId',
      summary: 'Remove a passkey: nobody signs in by it any more.',
      access: 'person',
      params: z.object({ passkeyId: PasskeyId }),
      responses: { 204: { description: 'Removed.' } },
    },
    async ({ env, userId, params }) => {
      if (!(await removePasskey(env, userId, params.passkeyId))) throw notFound('this passkey');
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/auth/passkey/challenge',
      summary:
        'What a browser needs to sign in by a passkey. Good for five minutes; stores nothing.',
      access: 'open',
      responses: { 200: { description: 'WebAuthn’s options for a sign-in.', schema: Options } },
    },
    async ({ env, request }) => json(await signInOptions({ env, origin: originFor(request, env) })),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/auth/sign-in/passkey',
      summary: 'Sign in by a passkey; sets the cookie.',
      access: 'open',
      body: PasskeySignIn,
      maxBody: MAX_BODY,
      responses: {
        200: { description: 'Signed in.', schema: z.object({ signedIn: z.literal(true) }) },
        401: { description: 'It is no passkey of this instance, or the challenge is over.' },
      },
    },
    async ({ env, request, body }) => {
      const userId = await userOfPasskey({ env, origin: originFor(request, env) }, body);
      const api = await apiFor(request, env);
      const { headers, response } = userId
        ? await api.signInAs({ body: { userId }, headers: request.headers, returnHeaders: true })
        : { headers: new Headers(), response: { signedIn: false } };
      if (!response.signedIn)
        throw new FilepathError(
          'unauthenticated',
          'This passkey is not known here. Use another one, or the URL from the terminal.',
        );
      return json({ signedIn: true }, 200, cookiesAnd(headers, {}));
    },
  ),
];
