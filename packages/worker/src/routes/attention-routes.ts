import { AttentionAnswer, AttentionChange, AttentionItem, Rule } from '@filepath/protocol';
import { z } from 'zod';
import { FeedQuery } from '../feed/feed-request.ts';
import { defineRoute, json, noContent, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { carryOutAnswer } from '../user/answering.ts';
import { feedResponse } from './feed-response.ts';

const ItemParams = z.object({ itemId: z.string().regex(/^[0-9a-f]{32}$/) });
const RuleParams = z.object({ ruleId: z.uuid() });

export const attentionRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/attention',
      summary:
        'What waits for the caller: questions, permissions, budgets, failures, conflicts, limits; each with its choices.',
      access: 'user',
      responses: {
        200: { description: 'Newest first.', schema: z.object({ items: z.array(AttentionItem) }) },
      },
    },
    async ({ env, userId }) => json({ items: await env.USER.getByName(userId).attention() }),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/attention/events',
      summary:
        'Changes of what waits for the caller after a seq: JSON page, server-sent events or WebSocket.',
      access: 'user',
      query: FeedQuery,
      responses: {
        200: {
          description: 'A page of changes.',
          schema: z.object({ events: z.array(AttentionChange), next: z.int().nullable() }),
        },
        101: { description: 'A WebSocket of frames.' },
      },
    },
    ({ env, ...input }) => feedResponse(env.USER.getByName(input.userId), input),
  ),
  defineRoute(
    {
      method: 'POST',
      path: '/api/attention/:itemId',
      summary:
        'Answer what waits. A permission may be given for equal questions of a session, an agent or a repository.',
      access: 'user',
      params: ItemParams,
      body: AttentionAnswer,
      responses: {
        202: { description: 'Answered.', schema: z.object({ choice: z.string() }) },
        409: { description: 'It was answered elsewhere; the message says how.' },
      },
    },
    async ({ env, userId, params, body }) => {
      const user = env.USER.getByName(userId);
      const row = unwrap(await user.beginAnswer(params.itemId, body));
      let done = false;
      try {
        await carryOutAnswer(env, userId, row, body);
        done = true;
      } finally {
        await user.endAnswer(row, body, done);
      }
      return json({ choice: body.choice }, 202);
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/rules',
      summary: 'The answers of the caller that are given again by themselves.',
      access: 'user',
      responses: {
        200: { description: 'Newest first.', schema: z.object({ rules: z.array(Rule) }) },
      },
    },
    async ({ env, userId }) => json({ rules: await env.USER.getByName(userId).rules() }),
  ),
  defineRoute(
    {
      method: 'DELETE',
      path: '/api/rules/:ruleId',
      summary: 'Remove a rule. Equal questions are asked again.',
      access: 'user',
      params: RuleParams,
      responses: { 204: { description: 'Removed.' } },
    },
    async ({ env, userId, params }) => {
      unwrap(await env.USER.getByName(userId).removeRule(params.ruleId));
      return noContent();
    },
  ),
];
