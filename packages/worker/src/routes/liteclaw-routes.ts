import { Liteclaw, LiteclawApprove, LiteclawPost } from '@filepath/protocol';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { approve, joinWaitlist } from '../liteclaw/access.ts';
import { prometheusText } from '../liteclaw/prometheus.ts';
import { chatOf, liteclawOf, reset, spawn } from '../liteclaw/spawn.ts';

const shown = { 200: { description: 'The LiteClaw of the caller.', schema: Liteclaw } };

export const liteclawRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/liteclaw',
      summary: 'Whether the caller has a LiteClaw, and where.',
      access: 'user',
      responses: shown,
    },
    async ({ env, userId }) => json(await liteclawOf(env, userId)),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/liteclaw',
      summary:
        'Spawn the one LiteClaw of the caller, reset its memory, or join the waitlist. Each may be repeated.',
      access: 'user',
      body: LiteclawPost,
      responses: {
        ...shown,
        409: { description: 'The caller is on the waitlist, or there is nothing to reset.' },
      },
    },
    async ({ env, userId, body }) => {
      if (body.action === 'spawn') return json(await spawn(env, userId));
      if (body.action === 'reset') return json(await reset(env, userId));
      await joinWaitlist(env, userId);
      return json(await liteclawOf(env, userId));
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/liteclaw/approve',
      summary:
        'Let somebody have a LiteClaw, by the operator’s secret in `x-liteclaw-admin-secret`.',
      access: 'operator',
      body: LiteclawApprove,
      responses: { 204: { description: 'They may spawn one.' } },
    },
    async ({ env, body }) => {
      await approve(env, body.email);
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/metrics',
      summary: 'What the LiteClaw of the caller counted, in the text format of Prometheus.',
      access: 'user',
      responses: {
        200: { description: 'Counters and histograms.', contentType: 'text/plain' },
      },
    },
    async ({ env, userId }) => {
      const place = await env.USER.getByName(userId).liteclaw();
      const counts = place?.createdAt ? await (await chatOf(env, place)).counts() : null;
      return new Response(prometheusText(counts), {
        headers: { 'content-type': 'text/plain; version=0.0.4', 'cache-control': 'no-store' },
      });
    },
  ),
];
