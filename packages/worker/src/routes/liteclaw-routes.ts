import {
  Liteclaw,
  LiteclawApprove,
  LiteclawPost,
  LiteclawTools,
  LiteclawToolsPut,
  LiteclawWorkspace,
  LiteclawWorkspacePost,
} from '@filepath/protocol';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { approve, joinWaitlist } from '../liteclaw/access.ts';
import { prometheusText } from '../liteclaw/prometheus.ts';
import { chatOf, liteclawOf, readyChat, reset, spawn } from '../liteclaw/spawn.ts';
import { unwrap } from '../result.ts';

const tools = { 200: { description: 'Its policy, budget and tools.', schema: LiteclawTools } };
const workspace = { 200: { description: 'Its files and snapshots.', schema: LiteclawWorkspace } };
const none = { 409: { description: 'There is no LiteClaw yet.' } };
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
      path: '/api/liteclaw/tools',
      summary: 'What the LiteClaw of the caller may do with tools.',
      access: 'user',
      responses: { ...tools, ...none },
    },
    async ({ env, userId }) => json(await (await readyChat(env, userId)).toolRules()),
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/api/liteclaw/tools',
      summary: 'Let the LiteClaw of the caller use tools: none, read-only or read-write.',
      access: 'user',
      body: LiteclawToolsPut,
      responses: { ...tools, ...none },
    },
    async ({ env, userId, body }) => json(await (await readyChat(env, userId)).setToolRules(body)),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/liteclaw/workspace',
      summary:
        'The files that the LiteClaw of the caller keeps in its workspace, and snapshots of them.',
      access: 'user',
      responses: { ...workspace, ...none },
    },
    async ({ env, userId }) => json(unwrap(await (await readyChat(env, userId)).workspaceOf(null))),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/liteclaw/workspace',
      summary: 'Take a snapshot of the workspace, restore one, or empty it.',
      access: 'user',
      body: LiteclawWorkspacePost,
      responses: { ...workspace, ...none, 404: { description: 'There is no such snapshot.' } },
    },
    async ({ env, userId, body }) =>
      json(unwrap(await (await readyChat(env, userId)).workspaceOf(body))),
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
      const chat = place?.createdAt ? await chatOf(env, place) : null;
      const text = chat
        ? prometheusText(await chat.counts(), await chat.extensionCounts())
        : prometheusText(null);
      return new Response(text, {
        headers: { 'content-type': 'text/plain; version=0.0.4', 'cache-control': 'no-store' },
      });
    },
  ),
];
