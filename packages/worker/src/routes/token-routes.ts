import { ApiToken, TokenCreate, TokenCreated, TokenId } from '@filepath/protocol';
import { z } from 'zod';
import { createToken, listTokens, revokeToken } from '../auth/api-tokens.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { notFound } from '../result.ts';

export const tokenRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/tokens',
      summary: 'The API tokens of the caller, without their secrets.',
      access: 'person',
      responses: {
        200: { description: 'Newest first.', schema: z.object({ tokens: z.array(ApiToken) }) },
      },
    },
    async ({ env, userId }) => json({ tokens: await listTokens(env, userId) }),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/tokens',
      summary:
        'Make an API token, a bearer that does what the caller may. Its secret is in this answer and nowhere else.',
      access: 'person',
      body: TokenCreate,
      responses: { 201: { description: 'Made.', schema: TokenCreated } },
    },
    async ({ env, userId, body }) => json(await createToken(env, userId, body), 201),
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/tokens/:tokenId',
      summary: 'Revoke an API token, at once.',
      access: 'person',
      params: z.object({ tokenId: TokenId }),
      responses: { 204: { description: 'Revoked.' } },
    },
    async ({ env, userId, params }) => {
      if (!(await revokeToken(env, userId, params.tokenId))) throw notFound('this token');
      return noContent();
    },
  ),
];
