import { FilepathError, issuesOf } from '@filepath/protocol';
import { Hono } from 'hono';
import type { z } from 'zod';
import { authenticate, authenticateRunner, isOwner } from '../auth/authenticate.ts';
import { isSecret } from '../auth/secrets.ts';
import { OWNER_ID } from '../auth/sign-in-link.ts';
import type { Env } from '../env.ts';
import { agentOf } from '../gateway/access.ts';
import { tunnelOf } from '../liteclaw/executors/tunnel-caller.ts';
import { readJson } from './body.ts';
import { errorResponse } from './errors.ts';
import { guard } from './guard.ts';
import { withAgentHeaders, withHeaders } from './headers.ts';
import type { Route } from './route.ts';
import { serveStatic } from './static-files.ts';

type App = Hono<{ Bindings: Env }>;

/** Paths of programs: here an unknown one is an error, everywhere else it is a page of the web app. */
const PROGRAM_PATH = /^\/(api|link|gateway|wsi|agents\/chat)(\/|$)/;

/** The router over a table of routes. `app.routes` lists them beside the handlers that answer 405. */
export function buildApp(routes: readonly Route[]): App {
  const app: App = new Hono();
  app.use('*', async (c, next) => {
    c.res = await guarded(c.req.raw, c.env, async () => {
      await next();
      return c.res;
    });
  });
  for (const route of routes) {
    app.on(route.method, route.path, (c) =>
      answer(route, {
        request: c.req.raw,
        env: c.env,
        ctx: c.executionCtx as ExecutionContext,
        params: () => c.req.param(),
      }),
    );
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const allow = routes.filter((route) => route.path === path).map((route) => route.method);
    app.all(path, () => methodNotAllowed(allow));
  }
  app.notFound((c) => {
    if (PROGRAM_PATH.test(c.req.path))
      throw new FilepathError('not_found', 'There is nothing at this path.');
    return serveStatic(c.req.raw, c.env);
  });
  app.onError((error, c) => errorResponse(error, c.env, c.req.raw));
  return app;
}

/**
 * The same answers. Those to agents, which are many and wait for a model, take no detour through the router: a
 * router that knows every route costs them more than the gateway does.
 */
export function buildFetch(routes: readonly Route[]): ExportedHandlerFetchHandler<Env> {
  const app = buildApp(routes);
  const below = routes
    .filter(({ access, path }) => access === 'agent' && path.endsWith('/*'))
    .map((route) => ({ route, prefix: route.path.slice(0, -1) }));
  return (request, env, ctx) => {
    const { url, method } = request;
    const at = url.indexOf('/', url.indexOf('//') + 2);
    const found = below.find(
      ({ route, prefix }) => route.method === method && url.startsWith(prefix, at),
    );
    if (!found) return app.fetch(request, env, ctx);
    const asked = { request, env, ctx, params: () => ({}) };
    return guarded(request, env, () => answer(found.route, asked), withAgentHeaders);
  };
}

/** Host and Origin are checked first, failures become answers, and every answer has its headers. */
async function guarded(
  request: Request,
  env: Env,
  work: () => Promise<Response>,
  finish = withHeaders,
): Promise<Response> {
  try {
    guard(request, env);
    const response = await work();
    // An upgrade carries its socket, which a copy would lose.
    return response.status === 101 ? response : finish(response);
  } catch (error) {
    return withHeaders(errorResponse(error, env, request));
  }
}

type Asked = {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly params: () => Record<string, string>;
};

async function answer(route: Route, { request, env, ctx, params }: Asked): Promise<Response> {
  // The router answers HEAD with GET's handler, which may have an effect.
  if (request.method !== route.method) return methodNotAllowed([route.method]);
  const caller = await admit(route, request, env);
  if (!caller) return route.unauthenticated?.() ?? unauthenticated();
  return route.handle({
    ...caller,
    env,
    request,
    ctx,
    params: route.params ? paramsOf(route.params, params()) : undefined,
    query: route.query ? parse(route.query, queryOf(request), 'query') : undefined,
    body: route.body
      ? parse(route.body, await readJson(request, route.maxBody), 'body')
      : undefined,
  });
}

type Caller = Pick<
  Parameters<Route['handle']>[0],
  'userId' | 'device' | 'runnerId' | 'agent' | 'tunnel'
>;

const NOBODY: Caller = { userId: null, device: null, runnerId: null, agent: null, tunnel: null };

/** Who calls, if they may. */
async function admit({ access }: Route, request: Request, env: Env): Promise<Caller | null> {
  if (access === 'open') return NOBODY;
  if (access === 'operator') {
    return isOperator(request, env) ? NOBODY : null;
  }
  if (access === 'runner') {
    const runnerId = authenticateRunner(request, env);
    return runnerId && { ...NOBODY, runnerId };
  }
  if (access === 'tunnel') {
    const tunnel = await tunnelOf(request, env);
    return tunnel && { ...NOBODY, tunnel };
  }
  if (access === 'agent') {
    const agent = agentOf(request, env);
    return agent && { ...NOBODY, agent };
  }
  if (access === 'owner') return isOwner(request, env) ? { ...NOBODY, userId: OWNER_ID } : null;
  const user = await authenticate(request, env);
  if (user?.byToken && access !== 'user')
    throw new FilepathError(
      'unauthenticated',
      'An API token does not open this. Sign in, or send the owner’s token.',
    );
  if (user && access === 'operator-person' && !isOperator(request, env))
    throw new FilepathError(
      'unauthenticated',
      'Send the operator’s secret as `x-liteclaw-admin-secret` too.',
    );
  return user && { ...NOBODY, userId: user.userId, device: user.device };
}

/** Where no secret is set, nobody is. */
function isOperator(request: Request, env: Env): boolean {
  const secret = request.headers.get('x-liteclaw-admin-secret') ?? '';
  return isSecret(secret, env.LITECLAW_ADMIN_SECRET);
}

function unauthenticated(): never {
  throw new FilepathError(
    'unauthenticated',
    'Sign in first, or send a token as `Authorization: Bearer …`.',
  );
}

/** A parameter that cannot be an id names nothing. */
function paramsOf(schema: z.ZodObject, params: Record<string, string>): unknown {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new FilepathError('not_found', 'There is nothing with this id.', issuesOf(parsed.error));
}

function parse(schema: z.ZodType, value: unknown, what: 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new FilepathError('bad_request', `The ${what} is not valid.`, issuesOf(parsed.error));
}

function queryOf(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  const twice = [...searchParams.keys()].find((key) => searchParams.getAll(key).length > 1);
  if (twice !== undefined)
    throw new FilepathError('bad_request', `The query has \`${twice}\` more than once.`);
  return Object.fromEntries(searchParams);
}

function methodNotAllowed(allow: readonly string[]): Response {
  const error = new FilepathError('method_not_allowed', `Use ${allow.join(' or ')} here.`);
  return Response.json(error.toBody(), {
    status: error.status,
    headers: { allow: [...new Set(allow)].join(', ') },
  });
}
