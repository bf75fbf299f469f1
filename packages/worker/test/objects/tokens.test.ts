import { env } from 'cloudflare:workers';
import { ApiToken, newTokenId, type TokenCreate, TokenCreated } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openDb } from '../../src/db/client.ts';
import { apiToken } from '../../src/db/identity-schema.ts';
import { ask, call } from './support/api.ts';
import { send, setScene, table, upgrade } from './support/access.ts';
import { newBrowser } from './support/browsers.ts';
import { signInAs } from './support/users.ts';

setScene();

const DAY_MS = 24 * 3_600_000;

const make = async (body: TokenCreate): Promise<TokenCreated> =>
  TokenCreated.parse(await ask(201, 'POST', '/api/tokens', body));

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

const listed = async (): Promise<ApiToken[]> =>
  z.object({ tokens: z.array(ApiToken) }).parse(await ask(200, 'GET', '/api/tokens')).tokens;

describe('an API token', () => {
  it('[UIG4] is told once and is in the database as a hash only', async () => {
    const { token, secret } = await make({ name: ' laptop ' });
    expect(secret).toMatch(/^fpt_[\w-]{43}$/);
    expect(token).toMatchObject({ name: 'laptop', hint: secret.slice(-4), usedAt: null });
    expect(JSON.stringify(await listed())).not.toContain(secret);
    const rows = await env.DB.prepare('select * from api_token').all();
    expect(rows.results.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows.results)).not.toContain(secret.slice(4, 20));
  });

  it('[UIG4] lives 90 days unless told, and not a moment longer than its time', async () => {
    const { token } = await make({ name: 'usual' });
    const days = (Date.parse(token.expiresAt ?? '') - Date.parse(token.createdAt)) / DAY_MS;
    expect(days).toBe(90);
    expect((await make({ name: 'never', expiresInDays: null })).token.expiresAt).toBeNull();
    const { secret } = await make({ name: 'day', expiresInDays: 1 });
    const status = async () => (await call('/api/session', { headers: bearer(secret) })).status;
    expect(await status()).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS + 1 });
    try {
      expect(await status()).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  it('[UIG5] opens what a user’s bearer opens, feeds included', async () => {
    const { secret, token } = await make({ name: 'all' });
    for (const [name, route] of table.filter(([, one]) => one.access === 'user')) {
      if (route.method !== 'GET') continue;
      for (const way of [{}, upgrade]) {
        const { status, webSocket } = await send(route, { ...bearer(secret), ...way });
        webSocket?.accept();
        webSocket?.close();
        expect([name, status]).not.toEqual([name, 401]);
      }
    }
    expect((await listed()).find(({ id }) => id === token.id)?.usedAt).not.toBeNull();
  });

  it('[UIG5] does not let anybody in: no tokens, devices, links or passkeys by it', async () => {
    const { secret } = await make({ name: 'confined' });
    const closed = table.filter(([, { access }]) =>
      ['person', 'operator-person', 'owner'].includes(access),
    );
    expect(closed.length).toBeGreaterThanOrEqual(7);
    for (const [name, route] of closed) {
      expect([name, (await send(route, bearer(secret))).status]).toEqual([name, 401]);
    }
  });

  it('[UIG5] does what its own user may, and nothing of another', async () => {
    const stranger = await signInAs('token-stranger');
    const made = await call('/api/tokens', {
      method: 'POST',
      headers: stranger,
      body: { name: 'theirs' },
    });
    const { secret, token } = TokenCreated.parse(await made.json());
    const sessions = await call('/api/session', { headers: bearer(secret) });
    expect(await sessions.json()).toEqual({ sessions: [] });
    expect((await listed()).some(({ id }) => id === token.id)).toBe(false);
    await ask(404, 'DELETE', `/api/tokens/${token.id}`);
  });

  it('[UIG6] opens nothing once it is revoked, and is not made good by a cookie', async () => {
    const { secret, token } = await make({ name: 'short' });
    await ask(204, 'DELETE', `/api/tokens/${token.id}`);
    const headers = { ...(await newBrowser()), ...bearer(secret) };
    expect((await call('/api/session', { headers })).status).toBe(401);
    await ask(404, 'DELETE', `/api/tokens/${token.id}`);
  });

  it.each([
    {},
    { name: '' },
    { name: 'x'.repeat(65) },
    { name: 'x', expiresInDays: 0 },
    { name: 'x', expiresInDays: 3651 },
    { name: 'x', scope: 'all' },
  ])('[UIG4] is not made of %j', async (body) => {
    await ask(400, 'POST', '/api/tokens', body);
  });

  it('[UIG4] is one of at most 100', async () => {
    const headers = await signInAs('token-collector');
    const rows = Array.from({ length: 100 }, (_, index) => ({
      id: newTokenId(),
      userId: 'token-collector',
      name: 'x',
      hash: `hash ${index}`,
      hint: 'xxxx',
    }));
    // D1 takes at most 100 values in one statement.
    for (const row of rows) await openDb(env).insert(apiToken).values(row);
    const refused = await call('/api/tokens', { method: 'POST', headers, body: { name: 'x' } });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: 'cap_reached' } });
  });
});
