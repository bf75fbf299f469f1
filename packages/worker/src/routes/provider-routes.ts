import {
  FilepathError,
  Provider,
  ProviderCreate,
  ProviderId,
  ProviderTest,
} from '@filepath/protocol';
import { z } from 'zod';
import type { Env } from '../env.ts';
import {
  type Background,
  environmentOf,
  forgetProviders,
  providersInForce,
  storedProviders,
} from '../gateway/memory.ts';
import { testProvider } from '../gateway/providers/provider-test.ts';
import { deleteProvider, writeProvider } from '../gateway/providers/provider-table.ts';
import { providerResources } from '../gateway/providers/resource.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';

const Params = z.object({ providerId: ProviderId });

async function listed(env: Env, ctx: Background, userId: string): Promise<Provider[]> {
  const stored = await storedProviders(env, ctx, userId);
  return providerResources(stored, environmentOf(env, userId));
}

const notFound = () =>
  new FilepathError('not_found', 'There is no such provider. `GET /api/providers` lists them.');

export const providerRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/providers',
      summary: 'The providers of models, with their keys masked.',
      access: 'user',
      responses: {
        200: {
          description: 'Those of the settings, then those of the environment.',
          schema: z.object({ providers: z.array(Provider) }),
        },
      },
    },
    async ({ env, ctx, userId }) => json({ providers: await listed(env, ctx, userId) }),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/providers',
      summary: 'Add a provider, or replace the one with the same id. Its key is stored encrypted.',
      access: 'user',
      body: ProviderCreate,
      responses: {
        201: { description: 'Stored, and in force.', schema: z.object({ provider: Provider }) },
      },
    },
    async ({ env, ctx, userId, body }) => {
      await writeProvider(env, userId, body);
      forgetProviders(userId);
      const id = body.id ?? body.kind;
      const [provider] = (await listed(env, ctx, userId)).filter((one) => one.id === id);
      return json({ provider }, 201);
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/providers/:providerId',
      summary: 'Remove a provider of the settings, with its key.',
      access: 'user',
      params: Params,
      responses: { 204: { description: 'Removed.' } },
    },
    async ({ env, ctx, userId, params }) => {
      const { providerId } = params;
      if (!(await deleteProvider(env, userId, providerId))) {
        const inEnvironment = environmentOf(env, userId).some(({ id }) => id === providerId);
        if (!inEnvironment) throw notFound();
        throw new FilepathError(
          'conflict',
          'This provider comes from the environment. Take its variable away and start again.',
        );
      }
      forgetProviders(userId);
      await storedProviders(env, ctx, userId);
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/providers/:providerId/test',
      summary: 'Ask the provider in force under this id whether it takes its key. Costs nothing.',
      access: 'user',
      params: Params,
      responses: { 200: { description: 'What came of it.', schema: ProviderTest } },
    },
    async ({ env, ctx, userId, params }) => {
      const providers = await providersInForce(env, ctx, userId);
      const provider = providers.find(({ id }) => id === params.providerId);
      if (!provider) throw notFound();
      return json(await testProvider(provider));
    },
  ),
];
