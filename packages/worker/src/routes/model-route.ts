import { ModelList } from '@filepath/protocol';
import { listModels } from '../gateway/models/list-models.ts';
import { defineRoute, json } from '../http/route.ts';

export const modelRoute = defineRoute(
  {
    method: 'GET',
    path: '/api/models',
    summary: 'The models by maker, with prices, and whether a provider here can answer for them.',
    access: 'user',
    responses: {
      200: {
        description:
          "OpenRouter's list, at most an hour old unless it is `stale`; else the built-in one.",
        schema: ModelList,
      },
    },
  },
  async ({ env, ctx, userId }) => json(await listModels(env, ctx, userId)),
);
