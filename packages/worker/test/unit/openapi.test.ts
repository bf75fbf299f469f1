import { SessionId } from '@filepath/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { openApi } from '../../src/http/openapi.ts';
import { defineRoute, noContent } from '../../src/http/route.ts';

const spec = {
  path: '/api/session/:id',
  summary: 'A session.',
  access: 'user',
  params: z.strictObject({ id: SessionId }),
} as const;

const document = openApi([
  defineRoute(
    {
      ...spec,
      method: 'GET',
      query: z.strictObject({ after: z.coerce.number().int().default(0), need: z.string() }),
      responses: { 200: { description: 'It.', schema: z.object({ at: z.iso.datetime() }) } },
    },
    () => noContent(),
  ),
  defineRoute(
    {
      ...spec,
      method: 'PATCH',
      body: z.strictObject({ name: z.string().trim().min(1).optional() }),
      responses: { 204: { description: 'Done.' } },
    },
    () => noContent(),
  ),
]);

describe('the OpenAPI document', () => {
  it('has one path with its methods, parameters, bodies and answers', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: packageJson.version },
      paths: {
        '/api/session/{id}': {
          get: {
            security: [{ cookie: [] }, { bearer: [] }],
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'after', in: 'query', required: false },
              { name: 'need', in: 'query', required: true, schema: { type: 'string' } },
            ],
            responses: {
              200: { content: { 'application/json': { schema: { required: ['at'] } } } },
              default: {
                content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
              },
            },
          },
          patch: {
            requestBody: {
              content: {
                'application/json': {
                  schema: { additionalProperties: false, properties: { name: { minLength: 1 } } },
                },
              },
            },
            responses: { 204: { description: 'Done.' } },
          },
        },
      },
    });
  });

  it('resolves every reference inside itself', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect(new Set(refs)).toEqual(new Set(['#/components/schemas/Error']));
  });
});
