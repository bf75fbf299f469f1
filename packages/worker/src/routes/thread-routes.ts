import {
  blobKey,
  DecisionCreate,
  LogEvent,
  MessageCreate,
  SignalCreate,
  TailQuery,
  ThreadId,
  ThreadTail,
} from '@filepath/protocol';
import { z } from 'zod';
import { FeedQuery } from '../feed/feed-request.ts';
import { defineRoute, json, type Route } from '../http/route.ts';
import { notFound, unwrap } from '../result.ts';
import { exportResponse } from './export-response.ts';
import { feedResponse } from './feed-response.ts';
import { Accepted, DecisionParams, ThreadParams } from './parameters.ts';
import { signalNode } from './signals.ts';

const BlobParams = z.object({ id: ThreadId, sha256: z.string().regex(/^[0-9a-f]{64}$/) });

export const threadRoutes: Route[] = [
  defineRoute(
    {
      method: 'POST',
      path: '/api/thread/:id/message',
      summary:
        'Send a message. It is stored, then the agent gets it; with `deliver` as `after`, or to an agent that cannot be steered, it waits in the queue for the end of the open run. An `Idempotency-Key` makes a repeated request harmless.',
      access: 'user',
      params: ThreadParams,
      body: MessageCreate,
      responses: { 202: { description: 'Stored.', schema: Accepted } },
    },
    async ({ env, userId, params, body, request }) => {
      const key = request.headers.get('idempotency-key');
      const thread = env.THREAD.getByName(params.id);
      const sent = await thread.message(
        userId,
        'user',
        body.content,
        key === null ? null : `user:${key.slice(0, 200)}`,
        body.deliver ?? null,
        body.attachments ?? [],
      );
      return json(unwrap(sent), 202);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/thread/:id/signal',
      summary: 'Stop (with everything below), pause, resume, or ask for a handoff.',
      access: 'user',
      params: ThreadParams,
      body: SignalCreate,
      responses: { 202: { description: 'Sent.', schema: z.object({ ok: z.literal(true) }) } },
    },
    async ({ env, userId, params, body }) => {
      const session = await env.THREAD.getByName(params.id).sessionFor(userId);
      await signalNode(env, userId, unwrap(session), params.id, body);
      return json({ ok: true }, 202);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/thread/:id/decision/:decisionId',
      summary: 'Answer what an agent asks. The process that asked gets the answer.',
      access: 'user',
      params: DecisionParams,
      body: DecisionCreate,
      responses: { 202: { description: 'Stored.', schema: Accepted } },
    },
    async ({ env, userId, params, body }) => {
      const decided = await env.THREAD.getByName(params.id).decide(userId, params.decisionId, body);
      return json(unwrap(decided), 202);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/thread/:id/events',
      summary: 'Events after a seq: JSON page, server-sent events or WebSocket.',
      access: 'user',
      params: ThreadParams,
      query: FeedQuery,
      responses: {
        200: {
          description: 'A page of events; `next` is the seq to ask after, or null at the end.',
          schema: z.object({ events: z.array(LogEvent), next: z.int().nullable() }),
        },
        101: { description: 'A WebSocket of frames.' },
      },
    },
    ({ env, params, ...input }) => feedResponse(env.THREAD.getByName(params.id), input),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/thread/:id/tail',
      summary:
        'The last events of the log, or the last before a seq, with the runs they belong to and, at the end of the log, how the thread stands.',
      access: 'user',
      params: ThreadParams,
      query: TailQuery,
      responses: {
        200: {
          description:
            'Events in their order; `before` is what to ask for the page before, or null where the log begins.',
          schema: ThreadTail,
        },
      },
    },
    async ({ env, userId, params, query: { before = null, limit } }) => {
      const tail = unwrap(await env.THREAD.getByName(params.id).lastEvents(userId, before, limit));
      return new Response(tail, {
        headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      });
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/thread/:id/export',
      summary: 'The whole thread as NDJSON, signed.',
      access: 'user',
      params: ThreadParams,
      responses: { 200: { description: 'The export.', contentType: 'application/x-ndjson' } },
    },
    ({ env, userId, params }) => exportResponse(env, userId, params.id),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/thread/:id/blob/:sha256',
      summary: 'A body that is too large for the log.',
      access: 'user',
      params: BlobParams,
      responses: {
        200: { description: 'The body as the agent said it.', contentType: 'application/json' },
      },
    },
    async ({ env, userId, params }) => {
      const allowed = await env.THREAD.getByName(params.id).allows(userId);
      const blob = allowed ? await env.BLOBS.get(blobKey(params.id, params.sha256)) : null;
      if (!blob) throw notFound('this blob');
      return new Response(blob.body, { headers: { 'content-type': 'application/json' } });
    },
  ),
];
