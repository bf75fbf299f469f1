import { ErrorBody, FilepathError, ThreadId } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { authRoutes } from '../../src/auth/routes.ts';
import { buildApp } from '../../src/http/app.ts';
import { defineRoute, json, type Route } from '../../src/http/route.ts';
import { systemRoutes } from '../../src/http/system-routes.ts';
import { testContext, testEnv } from './env-fixture.ts';

const ORIGIN = 'http://127.0.0.1:4280';
const OWNER = { authorization: 'Bearer owner-token-for-tests' };
const RUNNER = { authorization: 'Bearer runner-token-for-tests' };
const ID = `th_${'a'.repeat(22)}`;

const echo = defineRoute(
  {
    method: 'POST',
    path: '/api/echo/:id',
    summary: 'Answers with what it got.',
    access: 'user',
    params: z.strictObject({ id: ThreadId }),
    query: z.strictObject({ after: z.coerce.number().int().min(0).default(0) }),
    body: z.strictObject({ text: z.string().max(10) }),
    responses: { 200: { description: 'The same.', schema: z.object({ text: z.string() }) } },
  },
  ({ userId, params, query, body }) =>
    json({ userId, id: params.id, after: query.after, text: body.text }),
);

const throwing = (path: `/${string}`, error: unknown) =>
  defineRoute({ method: 'GET', path, summary: 'Fails.', access: 'user', responses: {} }, () =>
    Promise.reject(error),
  );

const link = defineRoute(
  { method: 'GET', path: '/link/x', summary: 'For runners.', access: 'runner', responses: {} },
  ({ runnerId }) => json({ runnerId }),
);

const remote = Object.assign(new Error('taken'), { name: 'FilepathError', code: 'conflict' });
const routes: Route[] = [
  ...systemRoutes({ agents: async () => ({ available: true }), routes: () => routes }),
  ...authRoutes,
  echo,
  link,
  throwing('/api/known', new FilepathError('conflict', 'It exists.', { id: 1 })),
  throwing('/api/remote', remote),
  throwing('/api/busy', Object.assign(new Error('overloaded'), { overloaded: true })),
  throwing('/api/unknown', new Error('the database password is hunter2')),
];
const app = buildApp(routes);

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  return app.fetch(new Request(`${ORIGIN}${path}`, init), testEnv(), testContext);
}

async function errorOf(response: Response): Promise<ErrorBody['error']> {
  return ErrorBody.parse(await response.json()).error;
}

function post(path: string, body: BodyInit, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/json' };
  return call(path, { method: 'POST', body, headers: { ...type, ...OWNER, ...headers } });
}

describe('access', () => {
  const open = new Set(routes.filter((r) => r.access === 'open').map((r) => r.path));
  const listed = app.routes.filter((each) => each.method !== 'ALL');

  it('has every declared route and no other in the router', () => {
    expect(listed.map((each) => `${each.method} ${each.path}`).sort()).toEqual(
      routes.map((each) => `${each.method} ${each.path}`).sort(),
    );
    expect([...open].sort()).toEqual(['/api/auth/sign-in/link', '/api/health']);
  });

  it.each(listed.filter((each) => !open.has(each.path as `/${string}`)))(
    'without a token $method $path answers 401',
    async ({ method, path }) => {
      const response = await call(path.replaceAll(/:\w+/g, 'x'), { method });
      expect(response.status).toBe(401);
      expect((await errorOf(response)).code).toBe('unauthenticated');
    },
  );

  it.each(listed)('with a foreign Origin $method $path answers 403', async ({ method, path }) => {
    const headers = { ...OWNER, origin: 'http://evil.test' };
    const response = await call(path.replaceAll(/:\w+/g, 'x'), { method, headers });
    expect(response.status).toBe(403);
  });

  it('takes no token from the query', async () => {
    expect((await call('/api/known?token=owner-token-for-tests')).status).toBe(401);
  });

  it('keeps the tokens of owner and runner apart', async () => {
    expect((await call('/link/x', { headers: RUNNER })).status).toBe(200);
    expect((await call('/link/x', { headers: OWNER })).status).toBe(401);
    expect((await call('/api/openapi.json', { headers: OWNER })).status).toBe(200);
  });

  it('matches no token when none is configured', async () => {
    const env = testEnv({ FILEPATH_RUNNER_TOKEN: '' });
    const headers = { authorization: 'Bearer ' };
    const request = new Request(`${ORIGIN}/link/x`, { headers });
    expect((await app.fetch(request, env, testContext)).status).toBe(401);
  });
});

describe('parsing', () => {
  it('gives the handler typed parts', async () => {
    const response = await post(`/api/echo/${ID}?after=7`, '{"text":"hi"}');
    expect(await response.json()).toEqual({ userId: 'owner', id: ID, after: 7, text: 'hi' });
  });

  it('answers 404 for an id that cannot be one', async () => {
    expect((await post('/api/echo/nope', '{"text":"hi"}')).status).toBe(404);
  });

  it('names path and reason of what is wrong in a body', async () => {
    const response = await post(`/api/echo/${ID}`, '{"text":"much too long","more":1}');
    expect(response.status).toBe(400);
    const { details } = await errorOf(response);
    expect(details).toEqual([
      { path: 'text', reason: expect.any(String) },
      { path: '(root)', reason: expect.stringContaining('more') },
    ]);
  });

  it.each(['{', '"text"', 'null', ''])('answers 400 for the body %j', async (body) => {
    expect((await post(`/api/echo/${ID}`, body)).status).toBe(400);
  });

  it('answers 400 for a body that is not UTF-8, and for one that is not called JSON', async () => {
    expect((await post(`/api/echo/${ID}`, new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
    const plain = { 'content-type': 'text/plain' };
    expect((await post(`/api/echo/${ID}`, '{"text":"hi"}', plain)).status).toBe(400);
  });

  it.each(['?after=-1', '?after=x', '?other=1', '?after=1&after=2'])(
    'answers 400 for the query %s',
    async (query) => {
      expect((await post(`/api/echo/${ID}${query}`, '{"text":"hi"}')).status).toBe(400);
    },
  );

  it('answers 413 for a body over 1 MiB that announces its length', async () => {
    const headers = { 'content-length': String(2 ** 20 + 1) };
    expect((await post(`/api/echo/${ID}`, 'x'.repeat(2 ** 20 + 1), headers)).status).toBe(413);
  });

  it('answers 413 for a chunked body over 1 MiB and reads no further', async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const init = { method: 'POST', body, duplex: 'half', headers: OWNER };
    expect((await call(`/api/echo/${ID}`, init as RequestInit)).status).toBe(413);
    expect(pulled).toBeLessThan(20);
  });
});

describe('errors', () => {
  const get = (path: string) => call(path, { headers: OWNER });

  it('maps known errors, also those that crossed an object boundary', async () => {
    const known = await get('/api/known');
    expect(known.status).toBe(409);
    expect(await errorOf(known)).toEqual({
      code: 'conflict',
      message: 'It exists.',
      details: { id: 1 },
    });
    expect((await get('/api/remote')).status).toBe(409);
    expect((await get('/api/busy')).status).toBe(503);
  });

  it('hides the insides of an unknown error behind a reference', async () => {
    const lines = vi.spyOn(console, 'log').mockReturnValue();
    const response = await get('/api/unknown');
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('hunter2');
    const { code, details } = ErrorBody.parse(JSON.parse(text)).error;
    expect(code).toBe('internal');
    const { ref } = z.object({ ref: z.string() }).parse(details);
    expect(String(lines.mock.lastCall)).toContain(ref);
    lines.mockRestore();
  });

  it.each(['/api/none', '/api', '/link/none', '/gateway/none', '/wsi/none'])(
    'answers %s with 404 as JSON',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect((await errorOf(response)).code).toBe('not_found');
    },
  );

  it('answers 405 with the methods that exist, also for HEAD', async () => {
    const wrong = await call('/api/health', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await call('/api/auth/sign-in/link?token=x', { method: 'HEAD' })).status).toBe(405);
  });
});

describe('headers', () => {
  it.each(['/api/health', '/api/none', '/api/known'])('secure %s', async (path) => {
    const { headers } = await call(path);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('secure an answer of the guard too', async () => {
    const request = new Request('http://evil.test/');
    const response = await app.fetch(request, testEnv(), testContext);
    expect(response.status).toBe(421);
    expect(response.headers.get('x-frame-options')).toBe('DENY');
  });
});
