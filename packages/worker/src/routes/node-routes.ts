import { Node, NodeCreate, NodeEntry, NodePatch } from '@filepath/protocol';
import { z } from 'zod';
import { openDb } from '../db/client.ts';
import { listNodes } from '../db/queries.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { snapshotSource } from '../snapshot/source.ts';
import { nodeWithDefaults } from '../user/default-budgets.ts';
import { Accepted, NodeParams, SessionParams, ThreadParams } from './parameters.ts';
import { actionOfStatus } from './signals.ts';

const NodeBody = z.object({ node: Node });

export const nodeRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/node',
      summary: 'The agents of the caller, of all sessions, newest change first; at most 2,000.',
      access: 'user',
      responses: {
        200: { description: 'Agents.', schema: z.object({ nodes: z.array(NodeEntry) }) },
      },
    },
    async ({ env, userId }) => json({ nodes: await listNodes(openDb(env), userId) }),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/session/:id/node',
      summary: 'Spawn an agent, at the root or under another. It starts with its first message.',
      access: 'user',
      params: SessionParams,
      body: NodeCreate,
      responses: { 201: { description: 'Created.', schema: NodeBody } },
    },
    async ({ env, userId, params, body }) => {
      const snapshot = await snapshotSource(env, userId, body.snapshot);
      const session = env.SESSION.getByName(params.id);
      const create = await nodeWithDefaults(env, userId, body);
      return json({ node: unwrap(await session.addNode(userId, create, snapshot)) }, 201);
    },
  ),
  defineRoute(
    {
      method: 'PATCH',
      path: '/api/session/:id/node/:nodeId',
      summary:
        'Change name, model or configuration; move it under another node or among its siblings; status as stop, pause or resume.',
      access: 'user',
      params: NodeParams,
      body: NodePatch,
      responses: { 200: { description: 'Changed.', schema: NodeBody } },
    },
    async ({ env, userId, params, body }) => {
      const { status, ...patch } = body;
      const action = status === undefined ? null : actionOfStatus(status);
      const session = env.SESSION.getByName(params.id);
      return json({ node: unwrap(await session.patchNode(userId, params.nodeId, patch, action)) });
    },
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/session/:id/node/:nodeId',
      summary: 'Delete an agent, everything below it, and their history.',
      access: 'user',
      params: NodeParams,
      responses: { 204: { description: 'Deleted.' } },
    },
    async ({ env, userId, params }) => {
      unwrap(await env.SESSION.getByName(params.id).removeNode(userId, params.nodeId));
      return noContent();
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/node/:id/restart',
      summary:
        'End what runs and begin again in a fresh process, with what was last handed off or with the first task.',
      access: 'user',
      params: ThreadParams,
      responses: { 202: { description: 'Stored.', schema: Accepted } },
    },
    async ({ env, userId, params }) =>
      json(unwrap(await env.THREAD.getByName(params.id).restart(userId)), 202),
  ),
];
