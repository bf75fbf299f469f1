import type { RunnerId } from '@filepath/protocol';
import type { z } from 'zod';
import type { Env } from '../env.ts';
import type { TunnelCaller } from '../liteclaw/executors/tunnel-caller.ts';
import type { Agent } from '../gateway/access.ts';

/**
 * Who may call a route: anyone, a signed-in user (cookie or bearer), a user but not by an API token (`person`), the
 * bearer of the owner's token, whoever knows the operator's secret, a `person` who knows it too (`operator-person`), a runner, a machine
 * that serves a directory to a chat (`tunnel`), or an agent through its runner. The check comes before anything of the
 * request is parsed.
 */
export type Access =
  | 'open'
  | 'user'
  | 'person'
  | 'owner'
  | 'operator'
  | 'operator-person'
  | 'runner'
  | 'tunnel'
  | 'agent';
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One answer of a route as its description shows it. Without a schema the answer has no JSON body. */
export type ResponseSpec = {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly contentType?: string;
};

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

type Caller<A extends Access> = A extends 'open' | 'operator'
  ? { readonly userId: null }
  : A extends 'runner'
    ? { readonly runnerId: RunnerId }
    : A extends 'tunnel'
      ? { readonly tunnel: TunnelCaller }
      : A extends 'agent'
        ? { readonly agent: Agent }
        : A extends 'person'
          ? {
              readonly userId: string;
              /** The signed-in browser that asks; null where the owner's token does. */
              readonly device: string | null;
            }
          : { readonly userId: string };

type RouteSpec<
  A extends Access,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
> = {
  readonly method: Method;
  /** Hono's form: `/api/session/:id`, or with `/*` at its end for everything below. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly access: A;
  /** Parameters that do not parse name nothing: 404. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Bytes; 1 MiB unless told. */
  readonly maxBody?: number;
  readonly responses: { readonly [status: number]: ResponseSpec };
  /** The answer to whoever may not call; the API's own error unless told. */
  readonly unauthenticated?: () => Response;
};

type RouteInput<A extends Access, P, Q, B> = Caller<A> & {
  readonly env: Env;
  readonly request: Request;
  readonly ctx: ExecutionContext;
  readonly params: Parsed<P>;
  readonly query: Parsed<Q>;
  readonly body: Parsed<B>;
};

/** What a route's handler is given, before its schemas give the parts their types. */
type RawInput = {
  readonly env: Env;
  readonly request: Request;
  readonly ctx: ExecutionContext;
  readonly userId: string | null;
  readonly device: string | null;
  readonly runnerId: RunnerId | null;
  readonly agent: Agent | null;
  readonly tunnel: TunnelCaller | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
};

export type Route = RouteSpec<
  Access,
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodType | undefined
> & { readonly handle: (input: RawInput) => Promise<Response> };

/** The one way to declare a route: the router, the access test and the OpenAPI document read the same table. */
export function defineRoute<
  A extends Access,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  spec: RouteSpec<A, P, Q, B>,
  handler: (input: RouteInput<A, P, Q, B>) => Response | Promise<Response>,
): Route {
  return {
    ...spec,
    // The router fills a RawInput from this spec's own schemas and access, which is what the types say.
    handle: async (input) => handler(input as unknown as RouteInput<A, P, Q, B>),
  };
}

export function json(body: unknown, status = 200, headers?: HeadersInit): Response {
  return Response.json(body, headers === undefined ? { status } : { status, headers });
}

export function noContent(): Response {
  return new Response(null, { status: 204 });
}
