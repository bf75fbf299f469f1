import { CatalogItem } from '@filepath/protocol';
import { z } from 'zod';
import { catalogItems } from '../catalog/items.ts';
import { knownAgents } from '../catalog/known-agents.ts';
import { defineRoute, json } from '../http/route.ts';
import { LOCAL_RUNNER } from '../runner/local-runner.ts';

export const catalogRoute = defineRoute(
  {
    method: 'GET',
    path: '/api/catalog',
    summary: 'The kinds of agents there are, and where their programs are.',
    access: 'user',
    responses: {
      200: {
        description: 'In the order in which they are offered.',
        schema: z.object({ agents: z.array(CatalogItem) }),
      },
    },
  },
  async ({ env }) => {
    const [known, report] = await Promise.all([
      knownAgents(env),
      env.RUNNER.getByName(LOCAL_RUNNER).catalog(),
    ]);
    return json({ agents: catalogItems(known, report) });
  },
);
