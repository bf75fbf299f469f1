import {
  BudgetDefaults,
  BudgetPut,
  BudgetState,
  NodeBudgetPut,
  NodeBudgetState,
} from '@filepath/protocol';
import { defineRoute, json, type Route } from '../http/route.ts';
import { unwrap } from '../result.ts';
import { refuseUnmetered } from '../user/unmetered.ts';
import { NodeParams, SessionParams } from './parameters.ts';

const ofUser = { 200: { description: 'The budget.', schema: BudgetState } };
const ofDefaults = { 200: { description: 'The defaults.', schema: BudgetDefaults } };
const ofNode = { 200: { description: 'The budget.', schema: NodeBudgetState } };

export const budgetRoutes: Route[] = [
  defineRoute(
    {
      method: 'GET',
      path: '/api/budget',
      summary:
        'The budget of the caller for all sessions, what was used of it and what is reserved.',
      access: 'user',
      responses: ofUser,
    },
    async ({ env, userId }) => json(await env.USER.getByName(userId).budget()),
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/api/budget',
      summary:
        'Set the budget of the caller for all sessions. It holds from the next call to a model on.',
      access: 'user',
      body: BudgetPut,
      responses: ofUser,
    },
    async ({ env, userId, body }) => {
      if (body.budget.usd !== null) await refuseUnmetered(env, userId);
      return json(unwrap(await env.USER.getByName(userId).setBudget(body.budget)));
    },
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/budget/defaults',
      summary:
        'What a new session, and an agent that the caller spawns, have where no budget is named for them.',
      access: 'user',
      responses: ofDefaults,
    },
    async ({ env, userId }) => json(await env.USER.getByName(userId).budgetDefaults()),
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/api/budget/defaults',
      summary:
        'Set those budgets. What exists already, and what agents spawn below it, stays as it is.',
      access: 'user',
      body: BudgetDefaults,
      responses: ofDefaults,
    },
    async ({ env, userId, body }) => json(await env.USER.getByName(userId).setBudgetDefaults(body)),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/session/:id/budget',
      summary: 'The budget of a session, what was used of it and what is reserved.',
      access: 'user',
      params: SessionParams,
      responses: ofUser,
    },
    async ({ env, userId, params }) =>
      json(unwrap(await env.SESSION.getByName(params.id).budget(userId))),
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/api/session/:id/budget',
      summary: 'Set the budget of a session. It holds from the next call to a model on.',
      access: 'user',
      params: SessionParams,
      body: BudgetPut,
      responses: ofUser,
    },
    async ({ env, userId, params, body }) =>
      json(unwrap(await env.SESSION.getByName(params.id).setBudget(userId, body))),
  ),
  defineRoute(
    {
      method: 'GET',
      path: '/api/session/:id/node/:nodeId/budget',
      summary: 'The budget of an agent and everything below it, and of the agent alone.',
      access: 'user',
      params: NodeParams,
      responses: ofNode,
    },
    async ({ env, userId, params }) =>
      json(unwrap(await env.SESSION.getByName(params.id).nodeBudget(userId, params.nodeId))),
  ),
  defineRoute(
    {
      method: 'PUT',
      path: '/api/session/:id/node/:nodeId/budget',
      summary:
        'Set the budget of an agent and everything below it, of the agent alone, or both. It holds from the next call on.',
      access: 'user',
      params: NodeParams,
      body: NodeBudgetPut,
      responses: ofNode,
    },
    async ({ env, userId, params, body }) => {
      const session = env.SESSION.getByName(params.id);
      return json(unwrap(await session.setNodeBudget(userId, params.nodeId, body)));
    },
  ),
];
