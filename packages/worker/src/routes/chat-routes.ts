import { FilepathError, LiteclawImported } from '@filepath/protocol';
import { routeAgentRequest } from 'agents';
import type { Env } from '../env.ts';
import { defineRoute, json, type Route } from '../http/route.ts';
import { importChat } from '../liteclaw/import-chat.ts';
import { demandChat } from '../liteclaw/spawn.ts';
import { notFound } from '../result.ts';
import { chatExport } from './chat-export.ts';
import { ThreadParams } from './parameters.ts';

/** The paths of the Agents SDK, for the chat and nothing else of it. */
export const chatRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/agents/chat/:id',
      summary: 'The chat of the caller, as a WebSocket in the protocol of the Agents SDK.',
      access: 'user',
      params: ThreadParams,
      responses: { 101: { description: 'A WebSocket of frames of the Agents SDK.' } },
    },
    async ({ env, userId, params, request }) => {
      await demandChat(env, userId, params.id);
      if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
        throw new FilepathError('upgrade_required', 'Open a WebSocket here.');
      return routed(env, request);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/agents/chat/:id/get-messages',
      summary: 'The transcript of the chat: messages of the AI SDK, oldest first.',
      access: 'user',
      params: ThreadParams,
      responses: { 200: { description: 'The messages that are kept.' } },
    },
    async ({ env, userId, params, request }) => {
      await demandChat(env, userId, params.id);
      return routed(env, request);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/agents/chat/:id/export',
      summary:
        'The chat as signed lines of JSON: messages, the events of its log, receipts and what it remembers.',
      access: 'user',
      params: ThreadParams,
      responses: {
        200: { description: 'An export of Sky.', contentType: 'application/x-ndjson' },
      },
    },
    async ({ env, userId, params }) => {
      await demandChat(env, userId, params.id);
      return chatExport(env, params.id);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/agents/chat/:id/import',
      summary:
        'Make the chat of an export the caller’s LiteClaw, with its id: the body is the export. What the caller has must be empty.',
      access: 'user',
      params: ThreadParams,
      responses: {
        201: { description: 'Imported.', schema: LiteclawImported },
        400: { description: 'A line of it is wrong: nothing was imported.' },
        409: { description: 'There is something in the chat, or the caller has another.' },
      },
    },
    async ({ env, userId, params, request }) =>
      json(await importChat(env, userId, params.id, request.body), 201),
  ),
];

/** The object sees nothing of the caller's credentials, and the SDK no other binding. */
async function routed({ Chat }: Env, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const name of ['cookie', 'authorization']) headers.delete(name);
  const response = await routeAgentRequest(new Request(request, { headers }), { Chat });
  if (!response) throw notFound('this chat');
  return response;
}
