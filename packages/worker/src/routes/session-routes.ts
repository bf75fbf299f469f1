import {
  newSessionId,
  NO_USAGE,
  Node,
  Session,
  SessionCreate,
  SessionPatch,
  SignalCreate,
  Tree,
  TreeChange,
} from '@filepath/protocol';
import { z } from 'zod';
import { openDb } from '../db/client.ts';
import { listSessions } from '../db/queries.ts';
import { FeedQuery } from '../feed/feed-request.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { snapshotSource } from '../snapshot/source.ts';
import { sessionWithDefaults } from '../user/default-budgets.ts';
import { feedResponse } from './feed-response.ts';
import { SessionParams } from './parameters.ts';
import { signalSession } from './signals.ts';

const SessionBody = z.object({ session: Session });

export const sessionRoutes: Route[] = [
  defineRoute(
    {
      method: 'POST',
      path: '/api/session',
      summary: 'Create a session, with its first agent if one is given.',
      access: 'user',
      body: SessionCreate,
      responses: {
        201: { description: 'Created.', schema: SessionBody.extend({ node: Node.optional() }) },
      },
    },
    async ({ env, userId, body }) => {
      const id = newSessionId();
      const snapshot = await snapshotSource(env, userId, body.root?.snapshot);
      const object = env.SESSION.getByName(id);
      const { session, node } = unwrap(
        await object.create(id, userId, await sessionWithDefaults(env, userId, body), snapshot),
      );
      return json({ session, ...(node ? { node } : {}) }, 201);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/session',
      summary: 'The sessions of the caller, newest activity first.',
      access: 'user',
      responses: {
        200: { description: 'Sessions.', schema: z.object({ sessions: z.array(Session) }) },
      },
    },
    async ({ env, userId }) => {
      const [sessions, usages] = await Promise.all([
        listSessions(openDb(env), userId),
        env.USER.getByName(userId).usages(),
      ]);
      const used = new Map(usages.map(({ session, usage }) => [session, usage]));
      return json({
        sessions: sessions.map((session) => ({
          ...session,
          usage: used.get(session.id) ?? NO_USAGE,
        })),
      });
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/session/:id',
      summary: 'A session and its tree.',
      access: 'user',
      params: SessionParams,
      responses: { 200: { description: 'The session.', schema: Tree } },
    },
    async ({ env, userId, params }) =>
      json(unwrap(await env.SESSION.getByName(params.id).tree(userId))),
  ),
  defineRoute(
    {
      method: 'PATCH',
      path: '/api/session/:id',
      summary: 'Rename a session.',
      access: 'user',
      params: SessionParams,
      body: SessionPatch,
      responses: { 200: { description: 'Renamed.', schema: SessionBody } },
    },
    async ({ env, userId, params, body }) => {
      const object = env.SESSION.getByName(params.id);
      const session =
        body.name === undefined
          ? unwrap(await object.tree(userId)).session
          : unwrap(await object.rename(userId, body.name));
      return json({ session });
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/session/:id',
      summary: 'Delete a session with all its agents and their history.',
      access: 'user',
      params: SessionParams,
      responses: { 204: { description: 'Deleted.' } },
    },
    async ({ env, userId, params }) => {
      unwrap(await env.SESSION.getByName(params.id).remove(userId));
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/session/:id/tree',
      summary: 'The tree with every node and its status.',
      access: 'user',
      params: SessionParams,
      responses: { 200: { description: 'The tree.', schema: Tree } },
    },
    async ({ env, userId, params }) =>
      json(unwrap(await env.SESSION.getByName(params.id).tree(userId))),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/session/:id/events',
      summary: 'Changes of the tree after a seq: JSON page, server-sent events or WebSocket.',
      access: 'user',
      params: SessionParams,
      query: FeedQuery,
      responses: {
        200: {
          description: 'A page of changes.',
          schema: z.object({ events: z.array(TreeChange), next: z.int().nullable() }),
        },
        101: { description: 'A WebSocket of frames.' },
      },
    },
    ({ env, params, ...input }) => feedResponse(env.SESSION.getByName(params.id), input),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/session/:id/signal',
      summary: 'Stop, pause or resume every agent of the session.',
      access: 'user',
      params: SessionParams,
      body: SignalCreate,
      responses: { 202: { description: 'Sent.', schema: SessionBody } },
    },
    async ({ env, userId, params, body }) => {
      await signalSession(env, userId, params.id, body);
      const { session } = unwrap(await env.SESSION.getByName(params.id).tree(userId));
      return json({ session }, 202);
    },
  ),
];
