import { Address, Device, DeviceLink, DeviceLinkCreate, FilepathError } from '@filepath/protocol';
import { z } from 'zod';
import { endDevice, endOtherDevices, listDevices } from '../auth/devices.ts';
import { mintLink } from '../auth/mint-link.ts';
import { addressesOf } from '../http/addresses.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { notFound } from '../result.ts';

const Params = z.object({ deviceId: z.string().regex(/^[\w-]{1,64}$/) });

/** Long enough to reach for a phone, short enough for a picture of the screen to be of no use. */
const LINK_MS = 5 * 60 * 1000;

export const deviceRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/devices',
      summary: 'The browsers in which the caller is signed in.',
      access: 'person',
      responses: {
        200: {
          description: 'The last seen first, at most 200.',
          schema: z.object({ devices: z.array(Device) }),
        },
      },
    },
    async ({ env, userId, device }) => json({ devices: await listDevices(env, userId, device) }),
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/devices',
      summary: 'Sign every browser of the caller out but the one that asks.',
      access: 'person',
      responses: {
        200: { description: 'How many were.', schema: z.object({ ended: z.int() }) },
      },
    },
    async ({ env, userId, device }) => json({ ended: await endOtherDevices(env, userId, device) }),
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/devices/:deviceId',
      summary: 'Sign one browser out, at once.',
      access: 'person',
      params: Params,
      responses: { 204: { description: 'Signed out.' } },
    },
    async ({ env, userId, params }) => {
      if (!(await endDevice(env, userId, params.deviceId))) throw notFound('this device');
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/addresses',
      summary: 'The addresses under which this instance answers.',
      access: 'user',
      responses: {
        200: {
          description: 'Those that other machines may reach first.',
          schema: z.object({ addresses: z.array(Address) }),
        },
      },
    },
    ({ env }) => json({ addresses: addressesOf(env) }),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/auth/device-link',
      summary: 'A link that signs another device in as the caller: once, within five minutes.',
      access: 'person',
      body: DeviceLinkCreate,
      responses: { 201: { description: 'The link.', schema: DeviceLink } },
    },
    async ({ env, request, userId, body }) => {
      const { origin, to = '/' } = body;
      const address = addressesOf(env).find((one) => one.origin === origin);
      if (!address || address.loopback)
        throw new FilepathError('bad_request', 'Another device does not reach this address.', [
          { path: 'origin', reason: 'expected one of GET /api/addresses that is no loopback' },
        ]);
      return json(await mintLink(env, request, origin, { userId, to, lifetimeMs: LINK_MS }), 201);
    },
  ),
];
