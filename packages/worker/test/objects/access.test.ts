import { listDurableObjectIds } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/routes/index.ts';
import {
  guarded,
  pathOf,
  send,
  setScene,
  table,
  theScene,
  upgrade,
  waysOf,
} from './support/access.ts';
import { call, OWNER } from './support/api.ts';

setScene();

describe('[SEC1] without a token', () => {
  it.each(guarded)('%s is 401', async (_, route) => {
    for (const way of waysOf(route)) expect((await send(route, way)).status).toBe(401);
    expect((await send(route, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await send(route, { cookie: 'filepath-4280.session_token=x.y' })).status).toBe(401);
  });

  it('opens health, the ways to sign in and static files only', async () => {
    const open = table.filter(([, route]) => route.access === 'open').map(([name]) => name);
    expect(open.toSorted()).toEqual([
      'GET /api/auth/sign-in/link',
      'GET /api/health',
      'POST /api/auth/passkey/challenge',
      'POST /api/auth/sign-in/passkey',
    ]);
    expect((await call('/api/health')).status).toBe(200);
    expect((await call('/')).status).toBe(200);
  });

  it('says nothing about paths that do not exist', async () => {
    for (const path of [
      '/api',
      '/api/nothing',
      '/api/session/x/y/z',
      '/link',
      '/link/x',
      '/wsi/x',
    ]) {
      expect((await call(path)).status).toBe(404);
    }
  });
});

describe('[SEC8] the router', () => {
  it('answers another method with 405 and the methods there are', async () => {
    for (const path of new Set(routes.map((route) => route.path))) {
      const methods = routes.filter((route) => route.path === path).map((route) => route.method);
      const [route] = routes.filter((one) => one.path === path);
      if (!route) continue;
      const response = await call(pathOf(route), { method: 'OPTIONS', headers: OWNER });
      expect([response.status, response.headers.get('allow')]).toEqual([405, methods.join(', ')]);
    }
  });

  it('[T25] leads to no object by its class or binding', async () => {
    const { session } = theScene();
    const before = await listDurableObjectIds(env.SESSION);
    for (const path of ['session-object/x', `session/${session.id}`, 'SESSION/x', 'thread/x']) {
      const response = await call(`/agents/${path}`, { headers: { ...OWNER, ...upgrade } });
      expect(response.webSocket).toBeNull();
      const page = response.headers.get('content-type')?.startsWith('text/html') ?? false;
      expect(response.status === 404 || page).toBe(true);
    }
    expect(await listDurableObjectIds(env.SESSION)).toHaveLength(before.length);
  });
});
