import { ErrorBody } from '@filepath/protocol';
import { z } from 'zod';
import type { Access, ResponseSpec, Route } from './route.ts';
import { VERSION } from './version.ts';

type Json = Record<string, unknown>;

const SECURITY: Record<Access, readonly Json[]> = {
  open: [],
  user: [{ cookie: [] }, { bearer: [] }],
  person: [{ cookie: [] }, { signedIn: [] }],
  owner: [{ bearer: [] }],
  operator: [{ operator: [] }],
  'operator-person': [
    { cookie: [], operator: [] },
    { signedIn: [], operator: [] },
  ],
  runner: [{ runner: [] }],
  tunnel: [{ tunnel: [] }],
  agent: [{ agent: [], runnerOfAgent: [], threadOfAgent: [], sessionOfAgent: [] }],
};

/** The OpenAPI 3.1 document of a table of routes. */
export function openApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'filepath', version: VERSION },
    paths,
    components: {
      schemas: { Error: schemaOf(ErrorBody, 'output') },
      securitySchemes: {
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'filepath.session_token',
          description: 'Named `filepath-{port}.session_token` where the address has a port.',
        },
        bearer: { type: 'http', scheme: 'bearer' },
        signedIn: {
          type: 'http',
          scheme: 'bearer',
          description: "The owner's token, or the signed token of a browser. No API token.",
        },
        operator: { type: 'apiKey', in: 'header', name: 'x-liteclaw-admin-secret' },
        runner: { type: 'http', scheme: 'bearer', description: 'The token of a runner.' },
        tunnel: { type: 'http', scheme: 'bearer', description: 'The token of a tunnel.' },
        agent: {
          type: 'http',
          scheme: 'bearer',
          description: "An agent's key. Also taken as `x-api-key`.",
        },
        runnerOfAgent: { type: 'apiKey', in: 'header', name: 'x-filepath-runner-token' },
        sessionOfAgent: { type: 'apiKey', in: 'header', name: 'x-filepath-session' },
        threadOfAgent: { type: 'apiKey', in: 'header', name: 'x-filepath-thread' },
      },
    },
  };
}

function operationOf(route: Route): Json {
  const parameters = [
    ...parametersOf(route.params, 'path'),
    ...restOf(route.path),
    ...parametersOf(route.query, 'query'),
  ];
  const responses = Object.entries(route.responses).map(([status, spec]) => [
    status,
    responseOf(spec),
  ]);
  return {
    summary: route.summary,
    security: SECURITY[route.access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? { requestBody: { required: true, content: jsonContent(route.body, 'input') } }
      : {}),
    responses: {
      ...Object.fromEntries(responses),
      default: {
        description: 'An error.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function parametersOf(schema: z.ZodObject | undefined, where: 'path' | 'query'): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || !z.safeParse(field, undefined).success,
    schema: schemaOf(field, 'input'),
  }));
}

/** Everything below a path that ends with `*`. */
function restOf(path: string): Json[] {
  if (!path.endsWith('*')) return [];
  return [{ name: 'path', in: 'path', required: true, schema: { type: 'string' } }];
}

function responseOf(spec: ResponseSpec): Json {
  const { description, schema, contentType = 'application/json' } = spec;
  if (!schema) return { description };
  return { description, content: { [contentType]: { schema: schemaOf(schema, 'output') } } };
}

const jsonContent = (schema: z.ZodType, io: 'input' | 'output'): Json => ({
  'application/json': { schema: schemaOf(schema, io) },
});

function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
