import { startInstance } from '@filepath/testkit';
import { once } from 'node:events';
import { request as ask } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import WebSocket from 'ws';

const ORIGIN = 'https://agents.example.test';

it('[SEC22] behind a proxy that ends TLS the page is served under its own name, and under no other', async () => {
  await using instance = await startInstance({ FILEPATH_ORIGIN: `${ORIGIN}/` });
  const get = async (path: string, headers: Record<string, string>): Promise<IncomingMessage> => {
    const [response] = (await once(
      ask({ host: '127.0.0.1', port: instance.port, path, headers, agent: false }).end(),
      'response',
    )) as [IncomingMessage];
    response.resume();
    return response;
  };
  const { host } = new URL(ORIGIN);
  const url = new URL(instance.signInUrl);
  expect(url.origin).toBe(ORIGIN);

  const page = await get('/', { host });
  expect(page.statusCode).toBe(200);
  const signedIn = await get(`${url.pathname}${url.search}`, { host });
  expect(signedIn.statusCode).toBe(303);
  const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^__Secure-filepath\..*; HttpOnly; Secure; SameSite=Strict$/);
  const session = { host, cookie: cookie.split(';')[0] ?? '' };
  expect((await get('/api/session', { ...session, origin: ORIGIN })).statusCode).toBe(200);
  expect((await get('/api/session', { host, origin: ORIGIN })).statusCode).toBe(401);
  const foreign = ['https://agents.example.test.evil', 'http://agents.example.test'];
  for (const origin of foreign) {
    expect((await get('/api/session', { ...session, origin })).statusCode).toBe(403);
  }
  for (const other of ['example.test', `${host}.evil`, `${host}:444`]) {
    expect((await get('/', { host: other })).statusCode).toBe(421);
  }
  expect((await get('/', { host: `127.0.0.1:${instance.port}` })).statusCode).toBe(200);

  const thread = '/api/session/ses_none/events';
  const socket = (origin: string): WebSocket =>
    new WebSocket(`ws://127.0.0.1:${instance.port}${thread}`, { headers: { ...session, origin } });
  const refused = async (origin: string): Promise<number | undefined> => {
    const [, response] = (await once(socket(origin), 'unexpected-response')) as [
      unknown,
      IncomingMessage,
    ];
    return response.statusCode;
  };
  // One that passes is asked for a session that is not there; one of another page is not asked.
  expect(await refused(ORIGIN)).not.toBe(403);
  expect(await refused('https://evil.test')).toBe(403);
});

it('[SEC22] an origin that is none keeps it from starting, with one sentence', async () => {
  for (const FILEPATH_ORIGIN of [
    'agents.example.test',
    'https://agents.example.test/path',
    'ftp://x',
  ]) {
    await expect(startInstance({ FILEPATH_ORIGIN })).rejects.toThrow(
      /FILEPATH_ORIGIN is .* give an origin/,
    );
  }
});
