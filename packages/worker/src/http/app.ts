import { FilepathError, issuesOf } from '@filepath/protocol';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import { authenticate, authenticateRunner, isOwner } from '../auth/authenticate.ts';
import { OWNER_ID } from '../auth/sign-in-link.ts';
import type { Env } from '../env.ts';
import { agentOf } from '../gateway/access.ts';
import { readJson } from './body.ts';
import { errorResponse } from './errors.ts';
import { guard } from './guard.ts';
import { withHeaders } from './headers.ts';
import type { Route } from './route.ts';
import { serveStatic } from './static-files.ts';

type App = Hono<{ Bindings: Env }>;

/** Paths of programs: here an unknown one is an error, everywhere else it is a page of the web app. */
const PROGRAM_PATH = /^\/(api|link|gateway|wsi)(\/|$)/;

/** The router over a table of routes. `app.routes` lists them beside the handlers that answer 405. */
export function buildApp(routes: readonly Route[]): App {
  const app: App = new Hono();
  app.use('*', async (c, next) => {
    try {
      guard(c.req.raw, c.env);
      await next();
    } catch (error) {
      c.res = errorResponse(error, c.env, c.req.raw);
    }
    // An upgrade carries its socket, which a copy would lose.
    if (c.res.status !== 101) c.res = withHeaders(c.res);
  });
  for (const route of routes) app.on(route.method, route.path, (c) => answer(route, c));
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

async function answer(route: Route, c: Context<{ Bindings: Env }>): Promise<Response> {
  const request = c.req.raw;
  // The router answers HEAD with GET's handler, which may have an effect.
  if (request.method !== route.method) return methodNotAllowed([route.method]);
  const caller = await admit(route, request, c.env);
  if (!caller) return route.unauthenticated?.() ?? unauthenticated();
  return route.handle({
    ...caller,
    env: c.env,
    request,
    ctx: c.executionCtx as ExecutionContext,
    params: route.params ? paramsOf(route.params, c.req.param()) : undefined,
    query: route.query ? parse(route.query, queryOf(request), 'query') : undefined,
    body: route.body
      ? parse(route.body, await readJson(request, route.maxBody), 'body')
      : undefined,
  });
}

type Caller = Pick<Parameters<Route['handle']>[0], 'userId' | 'runnerId' | 'agent'>;

const NOBODY: Caller = { userId: null, runnerId: null, agent: null };

/** Who calls, if they may. */
async function admit({ access }: Route, request: Request, env: Env): Promise<Caller | null> {
  if (access === 'open') return NOBODY;
  if (access === 'runner') {
    const runnerId = authenticateRunner(request, env);
    return runnerId && { ...NOBODY, runnerId };
  }
  if (access === 'agent') {
    const agent = agentOf(request, env);
    return agent && { ...NOBODY, agent };
  }
  if (access === 'owner') return isOwner(request, env) ? { ...NOBODY, userId: OWNER_ID } : null;
  const user = await authenticate(request, env);
  return user && { ...NOBODY, userId: user.userId };
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
