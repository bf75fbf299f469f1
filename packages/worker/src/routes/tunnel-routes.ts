import {
  LiteclawTunnel,
  TunnelCreate,
  TunnelCreated,
  TunnelId,
  TunnelPost,
} from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { readyPlace } from '../liteclaw/spawn.ts';
import { notFound, unwrap } from '../result.ts';

const ById = z.object({ tunnelId: TunnelId });
const none = { 404: { description: 'There is no such tunnel.' } };

export const tunnelRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/liteclaw/tunnels',
      summary:
        'The tunnels of the caller’s LiteClaw to machines of their own, without their tokens.',
      access: 'person',
      responses: {
        200: {
          description: 'Newest first.',
          schema: z.object({ tunnels: z.array(LiteclawTunnel) }),
        },
      },
    },
    async ({ env, userId }) => {
      const place = await readyPlace(env, userId);
      return json({ tunnels: place ? await env.ChatTunnels.getByName(place.id).list() : [] });
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/liteclaw/tunnels',
      summary:
        'Make a tunnel for `filepath runner --tunnel`. Its token is in this answer and nowhere else.',
      access: 'person',
      body: TunnelCreate,
      responses: {
        201: { description: 'Made.', schema: TunnelCreated },
        404: { description: 'There is no LiteClaw yet.' },
      },
    },
    async ({ env, userId, body }) =>
      json(unwrap(await (await demandTunnels(env, userId)).create(body.name)), 201),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/liteclaw/tunnels/:tunnelId',
      summary:
        'Give a tunnel another token, which ends the old one at once, or end the connection there is.',
      access: 'person',
      params: ById,
      body: TunnelPost,
      responses: {
        200: { description: 'It has another token.', schema: TunnelCreated },
        204: { description: 'It is not connected.' },
        ...none,
      },
    },
    async ({ env, userId, params, body }) => {
      const tunnels = await demandTunnels(env, userId);
      if (body.action === 'rotate') return json(unwrap(await tunnels.rotate(params.tunnelId)));
      unwrap(await tunnels.disconnect(params.tunnelId));
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/liteclaw/tunnels/:tunnelId',
      summary: 'Revoke a tunnel, at once: its connection ends, and what was asked through it.',
      access: 'person',
      params: ById,
      responses: { 204: { description: 'Revoked.' }, ...none },
    },
    async ({ env, userId, params }) => {
      unwrap(await (await demandTunnels(env, userId)).revoke(params.tunnelId));
      return noContent();
    },
  ),
];

async function demandTunnels(env: Env, userId: string) {
  const place = await readyPlace(env, userId);
  if (!place) throw notFound('a LiteClaw of yours');
  return env.ChatTunnels.getByName(place.id);
}
