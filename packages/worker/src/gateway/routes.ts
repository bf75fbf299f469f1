import type { WireFormat } from '@filepath/protocol';
import { redact, secretsOf } from '../auth/redact.ts';
import type { Env } from '../env.ts';
import { log } from '../http/log.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { requestUrl } from '../http/request-url.ts';
import type { Agent } from './access.ts';
import { isOwners } from './accounts.ts';
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
        const path = requestUrl(request).pathname.slice(prefix.length);
        const { format } = operationOf(dialect, method, path);
        if (!path.startsWith('/v1/')) {
          const message = `There is nothing at ${path}: it begins with /v1/.`;
          return providerError(format, 'not_found', message);
        }
        if (isOwners(method, path)) {
          const message = `${method} ${path.slice(0, 200)} is the owner's own at the provider: agents have no way there.`;
          return providerError(format, 'not_found', message);
        }
        return carried(env, format, () =>
          passThrough(gatewayFor(env, agent, ctx), agent, { dialect, path }, request),
        );
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
      carried(env, 'openai-chat', () => {
        const target = { dialect: 'openai', path: '/v1/models' } as const;
        return passThrough(gatewayFor(env, agent, ctx), agent, target, request);
      }),
  );
  return [
    models,
    ...METHODS.flatMap((method) => [below('anthropic', method), below('openai', method)]),
  ];
}

/** What fails on our side is told as the provider would tell it: clients try again. */
async function carried(
  env: Env,
  format: WireFormat,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log('error', 'gateway failed', { error: redact(detail, secretsOf(env)) });
    const message = 'filepath could not carry this request just now. Try again.';
    return providerError(format, 'unreachable', message);
  }
}
