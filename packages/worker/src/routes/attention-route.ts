import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';

const Item = z.object({
  thread: z.string(),
  session: z.string(),
  sessionName: z.string(),
  name: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  at: z.string(),
});

export const attentionRoute = defineRoute(
  {
    method: 'GET',
    path: '/api/attention',
    summary:
      'The agents that wait for the caller: those that failed, have asked, or have used up their budget.',
    access: 'user',
    responses: {
      200: { description: 'Newest first.', schema: z.object({ items: z.array(Item) }) },
    },
  },
  async ({ env, userId }) => json({ items: await env.USER.getByName(userId).attention() }),
);
