import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { credentialsOf, pathOf, send, setScene, table, waysOf } from './support/access.ts';
import { call, ORIGIN, OWNER } from './support/api.ts';

setScene();

describe('[SEC3] with a foreign Origin', () => {
  it.each(table)('%s is 403', async (_, route) => {
    const headers = {
      ...credentialsOf(route),
      origin: 'https://evil.test',
    };
    for (const way of waysOf(route)) {
      expect((await send(route, { ...headers, ...way })).status).toBe(403);
    }
  });

  it.each(['null', 'http://localhost:4281', 'http://localhost', 'https://localhost:4280'])(
    'that is %j the API is 403',
    async (origin) => {
      expect((await call('/api/session', { headers: { ...OWNER, origin } })).status).toBe(403);
    },
  );

  it.each(['/', '/session/x', '/favicon.svg', '/_app/env.js', '/nothing', '/api/nothing'])(
    'static %s is 403',
    async (path) => {
      expect((await call(path, { headers: { origin: 'https://evil.test' } })).status).toBe(403);
    },
  );
});

describe('[SEC2] with a foreign Host', () => {
  it.each(table)('%s is 421', async (_, route) => {
    const headers = credentialsOf(route);
    for (const way of waysOf(route)) {
      expect((await send(route, { ...headers, ...way, host: 'evil.test' })).status).toBe(421);
    }
    const url = `${ORIGIN.replace('localhost', 'evil.test')}${pathOf(route)}`;
    const rebound = new Request(url, { method: route.method, headers });
    expect((await exports.default.fetch(rebound)).status).toBe(421);
  });

  it.each(['/', '/session/x', '/favicon.svg', '/api/nothing'])('static %s is 421', async (path) => {
    expect((await call(path, { headers: { host: 'evil.test' } })).status).toBe(421);
  });
});
