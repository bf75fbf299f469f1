import {
  Child,
  ChildMessageCreate,
  ChildMessages,
  Children,
  ChildrenWait,
  HANDED_HEADER,
  SpawnCreate,
  ThreadId,
} from '@filepath/protocol';
import { z } from 'zod';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { passOn, whileThere } from './hand-over.ts';
import { Accepted } from './parameters.ts';

const TalkQuery = z.object({ after: z.coerce.number().int().min(0).optional() });
const ChildParams = z.object({ threadId: ThreadId });

/** What an agent may ask about its own children, and do with them. */
export const agentRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/gateway/agent/children',
      summary: 'The direct children of the agent that asks.',
      access: 'agent',
      responses: { 200: { description: 'Children.', schema: Children } },
    },
    async ({ env, agent }) => {
      const session = env.SESSION.getByName(agent.session);
      const { answer, handed } = unwrap(await session.childrenOf(agent));
      return passOn(answer, handed);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/gateway/agent/children',
      summary: 'Spawn a child. The same `key` again is answered with the same child.',
      access: 'agent',
      body: SpawnCreate,
      responses: { 201: { description: 'It is there.', schema: z.object({ child: Child }) } },
    },
    async ({ env, agent, body }) => {
      const session = env.SESSION.getByName(agent.session);
      return json({ child: unwrap(await session.spawn(agent, body)) }, 201);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/gateway/agent/children/wait',
      summary: 'Waits until none of the children works, or for so many seconds.',
      access: 'agent',
      body: ChildrenWait,
      responses: { 200: { description: 'Children as they are then.', schema: Children } },
    },
    async ({ env, agent, body, request, ctx }) => {
      const session = env.SESSION.getByName(agent.session);
      const { answer, handed } = unwrap(
        await whileThere(
          { request, ctx },
          (id) => session.waitForChildren(agent, body, id),
          (id) => session.breakOffWait(agent, id),
        ),
      );
      return passOn(answer, handed);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/gateway/agent/children/:threadId/messages',
      summary:
        'What a direct child was told and said: the first messages after a seq, or without one the last.',
      access: 'agent',
      params: ChildParams,
      query: TalkQuery,
      responses: { 200: { description: 'In their order.', schema: ChildMessages } },
    },
    async ({ env, agent, params, query }) => {
      const session = env.SESSION.getByName(agent.session);
      unwrap(await session.hasChild(agent, params.threadId));
      const thread = env.THREAD.getByName(params.threadId);
      const { messages, upTo } = await thread.talk(query.after ?? null);
      const { handed } = unwrap(await session.showsChild(agent, params.threadId, upTo));
      return passOn({ messages }, handed);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/gateway/agent/children/:threadId/messages',
      summary: 'Say something to a direct child. The same `key` again is the same message.',
      access: 'agent',
      params: ChildParams,
      body: ChildMessageCreate,
      responses: { 202: { description: 'Stored.', schema: Accepted } },
    },
    async ({ env, agent, params, body }) => {
      const session = env.SESSION.getByName(agent.session);
      unwrap(await session.hasChild(agent, params.threadId));
      const key = body.key === undefined ? null : `parent:${body.key}`;
      const thread = env.THREAD.getByName(params.threadId);
      const sent = unwrap(await thread.message(null, 'parent', body.content, key));
      unwrap(await session.childTold(agent, params.threadId, sent.seq));
      return json(sent, 202);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/gateway/agent/children/:threadId/stop',
      summary: 'Stop a direct child with everything below it.',
      access: 'agent',
      params: ChildParams,
      responses: { 200: { description: 'The child as it is then.', schema: Children } },
    },
    async ({ env, agent, params, request, ctx }) => {
      const session = env.SESSION.getByName(agent.session);
      const { answer, handed } = unwrap(
        await whileThere(
          { request, ctx },
          (id) => session.stopChild(agent, params.threadId, id),
          (id) => session.breakOffWait(agent, id),
        ),
      );
      return passOn(answer, handed);
    },
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/gateway/agent/handed/:handed',
      summary: `For runners: the agent has the answer that named this in \`${HANDED_HEADER}\`. What it says of ended children is not told once more.`,
      access: 'agent',
      params: z.object({ handed: z.uuid() }),
      responses: { 204: { description: 'Known.' } },
    },
    async ({ env, agent, params }) => {
      unwrap(await env.SESSION.getByName(agent.session).hasAnswer(agent, params.handed));
      return noContent();
    },
  ),
];
