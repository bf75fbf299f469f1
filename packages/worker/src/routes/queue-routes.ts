import { MessageId, QueuedMessage, QueuePatch, ThreadId } from '@filepath/protocol';
import { z } from 'zod';
import { defineRoute, json, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { Accepted, ThreadParams } from './parameters.ts';

const QueuedParams = z.object({ id: ThreadId, messageId: MessageId });

/** Messages that wait for the end of an agent's open run. */
export const queueRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/node/:id/queue',
      summary: 'The messages that wait for the end of the open run, in their order.',
      access: 'user',
      params: ThreadParams,
      responses: {
        200: { description: 'The queue.', schema: z.object({ messages: z.array(QueuedMessage) }) },
      },
    },
    async ({ env, userId, params }) =>
      json({ messages: unwrap(await env.THREAD.getByName(params.id).queued(userId)) }),
  ),
  defineRoute(
    {
      method: 'PATCH',
      path: '/api/node/:id/queue/:messageId',
      summary: 'Change a message that waits. It keeps its place.',
      access: 'user',
      params: QueuedParams,
      body: QueuePatch,
      responses: { 202: { description: 'Stored.', schema: Accepted } },
    },
    async ({ env, userId, params, body }) => {
      const thread = env.THREAD.getByName(params.id);
      return json(unwrap(await thread.requeue(userId, params.messageId, body.content)), 202);
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/node/:id/queue/:messageId',
      summary: 'Withdraw a message that waits: the agent never gets it.',
      access: 'user',
      params: QueuedParams,
      responses: { 202: { description: 'Stored.', schema: Accepted } },
    },
    async ({ env, userId, params }) => {
      const thread = env.THREAD.getByName(params.id);
      return json(unwrap(await thread.withdraw(userId, params.messageId)), 202);
    },
  ),
];
