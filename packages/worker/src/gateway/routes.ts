import type { Env } from '../env.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { Agent } from './access.ts';
import { type Dialect, operationOf } from './operation.ts';
import { type Gateway, passThrough } from './pass-through.ts';
import { providerError } from './provider-error.ts';
import { badKey } from './refusal.ts';

/** The gateway of one request: its parts as this instance has them. */
export type GatewayFor = (env: Env, agent: Agent, ctx: ExecutionContext) => Gateway;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const SUMMARY: Record<Dialect, string> = {
  anthropic: "Anthropic's API as the agents of this instance have it.",
  openai: "OpenAI's API as the agents of this instance have it.",
};

const DESCRIPTION = "The provider's answer, or an error in the provider's own format.";

/** The way from agents to models. */
export function gatewayRoutes(gatewayFor: GatewayFor): Route[] {
  const below = (dialect: Dialect, method: (typeof METHODS)[number]): Route => {
    const prefix = `/gateway/${dialect}` as const;
    return defineRoute(
      {
        method,
        path: `${prefix}/*`,
        summary: SUMMARY[dialect],
        access: 'agent',
        responses: { 200: { description: DESCRIPTION } },
        unauthenticated: () => badKey(dialect === 'anthropic' ? 'anthropic' : 'openai-chat'),
      },
      async ({ env, agent, ctx, request }) => {
        const path = new URL(request.url).pathname.slice(prefix.length);
        if (!path.startsWith('/v1/')) {
          const { format } = operationOf(dialect, method, path);
          return providerError(
            format,
            'not_found',
            `There is nothing at ${path}: it begins with /v1/.`,
          );
        }
        return passThrough(gatewayFor(env, agent, ctx), agent, { dialect, path }, request);
      },
    );
  };
  const models = defineRoute(
    {
      method: 'GET',
      path: '/gateway/v1/models',
      summary: 'The models that agents may ask for, in the form of OpenAI.',
      access: 'agent',
      responses: { 200: { description: DESCRIPTION } },
      unauthenticated: () => badKey('openai-chat'),
    },
    ({ env, agent, ctx, request }) =>
      passThrough(
        gatewayFor(env, agent, ctx),
        agent,
        { dialect: 'openai', path: '/v1/models' },
        request,
      ),
  );
  return [
    models,
    ...METHODS.flatMap((method) => [below('anthropic', method), below('openai', method)]),
  ];
}
