import { env, exports } from 'cloudflare:workers';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

const ORIGIN = 'http://localhost:4280';
const OWNER = { authorization: 'Bearer owner-token-for-tests' };

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const url = path.startsWith('/') ? `${ORIGIN}${path}` : path;
  return exports.default.fetch(new Request(url, { redirect: 'manual', ...init }));
}

async function mintLink(origin = ORIGIN): Promise<string> {
  const response = await call(`${origin}/api/auth/link`, { method: 'POST', headers: OWNER });
  expect(response.status).toBe(201);
  return z.object({ url: z.url() }).parse(await response.json()).url;
}

/** Cookie pairs that a browser would send back. */
function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ');
}

async function signIn(): Promise<string> {
  return cookieOf(await call(await mintLink()));
}

const me = (headers: Record<string, string>) => call('/api/me', { headers });

describe('the sign-in link', () => {
  it('signs in once, sets the cookie and redirects to the app', async () => {
    const url = await mintLink();
    expect(url).toMatch(/^http:\/\/localhost:4280\/api\/auth\/sign-in\/link\?token=[\w-]{43}$/);
    const first = await call(url);
    expect([first.status, first.headers.get('location')]).toEqual([303, '/']);
    expect(await (await me({ cookie: cookieOf(first) })).json()).toEqual({ userId: 'owner' });

    const second = await call(url);
    expect(second.status).toBe(303);
    expect(second.headers.get('location')).toBe('/sign-in?error=expired');
    expect(second.headers.getSetCookie()).toEqual([]);
  });

  it('[SEC6] gives one session when it is used many times at once', async () => {
    const url = await mintLink();
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(url)));
    const places = answers.map((answer) => answer.headers.get('location'));
    expect(places.filter((place) => place === '/').length).toBe(1);
    expect(places.filter((place) => place === '/sign-in?error=expired').length).toBe(7);
  });

  it('[SEC6] works no more after 15 minutes', async () => {
    const url = await mintLink();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15 * 60 * 1000 + 1 });
    try {
      expect((await call(url)).headers.get('location')).toBe('/sign-in?error=expired');
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(['', '?token=', '?token=wrong', `?token=${'x'.repeat(4096)}`])(
    'with %.20j leads back to the sign-in page',
    async (query) => {
      const response = await call(`/api/auth/sign-in/link${query}`);
      expect(response.status).toBe(303);
      expect(response.headers.get('location')).toBe('/sign-in?error=expired');
    },
  );

  it('also takes the owner’s token, any number of times', async () => {
    for (const _ of [1, 2]) {
      const response = await call('/api/auth/sign-in/link?token=owner-token-for-tests');
      expect(response.headers.get('location')).toBe('/');
      expect((await me({ cookie: cookieOf(response) })).status).toBe(200);
    }
  });

  it('is not in the database in readable form', async () => {
    const token = new URL(await mintLink()).searchParams.get('token');
    const rows = await env.DB.prepare('select * from verification').all();
    expect(rows.results.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows.results)).not.toContain(token);
  });

  it('is minted for the bearer of the owner’s token only', async () => {
    const cookie = await signIn();
    for (const headers of [{}, { cookie }, { authorization: 'Bearer runner-token-for-tests' }]) {
      const response = await call('/api/auth/link', { method: 'POST', headers });
      expect(response.status).toBe(401);
    }
  });
});

describe('the cookie', () => {
  it('is out of reach for scripts and other sites, and secure on https', async () => {
    const [plain] = (await call(await mintLink())).headers.getSetCookie();
    expect(plain).toMatch(/^filepath-4280\.session_token=/);
    expect(plain).toMatch(/; HttpOnly/i);
    expect(plain).toMatch(/; SameSite=Strict/i);
    expect(plain).not.toMatch(/; Secure/i);
    const [secure] = (await call(await mintLink('https://agents.example'))).headers.getSetCookie();
    expect(secure).toMatch(/^__Secure-filepath\.session_token=/);
    expect(secure).toMatch(/; Secure/i);
  });

  it('with a changed signature signs nobody in', async () => {
    const cookie = await signIn();
    const [pair = ''] = cookie.split('; ');
    expect((await me({ cookie: pair.replace('session_token=', 'session_token=x') })).status).toBe(
      401,
    );
    expect((await me({ cookie: `${pair.slice(0, -8)}AAAAAAAA` })).status).toBe(401);
  });

  it('does not make a wrong bearer token good', async () => {
    const cookie = await signIn();
    expect((await me({ cookie, authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

describe('the bearer token', () => {
  it('of the owner signs in', async () => {
    expect(await (await me(OWNER)).json()).toEqual({ userId: 'owner' });
  });

  it('may be the signed token of a session, never the bare one', async () => {
    const value = decodeURIComponent((await signIn()).split('=').slice(1).join('='));
    expect((await me({ authorization: `Bearer ${value}` })).status).toBe(200);
    const [bare] = value.split('.');
    expect((await me({ authorization: `Bearer ${bare}` })).status).toBe(401);
  });
});

describe('any other Authorization header', () => {
  it('signs nobody in and breaks nothing', async () => {
    const token = fc.oneof(
      fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
      fc.tuple(fc.base64String(), fc.base64String()).map((parts) => parts.join('.')),
      fc.constantFrom("' or 1=1 --", '%', '%00', 'a.b.c', '.', '=', 'owner', '"; drop table user'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('Bearer ', 'bearer  ', 'Basic ', ''),
        token,
        async (scheme, text) => {
          expect((await me({ authorization: `${scheme}${text}` })).status).toBe(401);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('sign-out', () => {
  it('ends the session for every copy of the cookie at once', async () => {
    const cookie = await signIn();
    const response = await call('/api/auth/sign-out', { method: 'POST', headers: { cookie } });
    expect(await response.json()).toEqual({ success: true });
    expect(response.headers.getSetCookie().join()).toMatch(/session_token=;.*Max-Age=0/);
    expect((await me({ cookie })).status).toBe(401);
  });

  it('leaves other sessions alone', async () => {
    const [one, two] = [await signIn(), await signIn()];
    await call('/api/auth/sign-out', { method: 'POST', headers: { cookie: one } });
    expect((await me({ cookie: two })).status).toBe(200);
  });
});

describe('get-session', () => {
  it('tells who is signed in without the token', async () => {
    const cookie = await signIn();
    const response = await call('/api/auth/get-session', { headers: { cookie } });
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({
      user: { id: 'owner' },
      session: { expiresAt: expect.stringMatching(/Z$/) },
    });
    expect(response.headers.get('set-auth-token')).toBe(null);
    const bearer = await call('/api/auth/get-session', { headers: OWNER });
    expect(await bearer.json()).toEqual({ user: { id: 'owner' }, session: null });
  });
});

describe('everything else of better-auth', () => {
  it.each([
    ['POST', 'sign-up/email'],
    ['POST', 'sign-in/email'],
    ['POST', 'sign-in/social'],
    ['GET', 'list-sessions'],
    ['POST', 'update-user'],
    ['POST', 'delete-user'],
    ['GET', 'error'],
    ['GET', 'ok'],
  ])('%s %s is not there', async (method, path) => {
    const body = method === 'POST' ? '{}' : null;
    const headers = { ...OWNER, 'content-type': 'application/json' };
    expect((await call(`/api/auth/${path}`, { method, headers, body })).status).toBe(404);
  });
});

describe('the router in workerd', () => {
  it('passes a WebSocket through', async () => {
    const headers = { upgrade: 'websocket', authorization: 'Bearer runner-token-for-tests' };
    const response = await call('/link/echo', { headers });
    expect(response.status).toBe(101);
    const socket = response.webSocket;
    expect(socket).not.toBe(null);
    socket?.accept();
    const echoed = new Promise((resolve) =>
      socket?.addEventListener('message', (event) => resolve(event.data)),
    );
    socket?.send('hello');
    expect(await echoed).toBe('hello');
    socket?.close();
  });

  it('keeps code and details of an error thrown inside an object', async () => {
    const response = await call('/api/fail', { headers: OWNER });
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({
      error: { code: 'cap_reached', message: 'Too many nodes.', details: { cap: 7 } },
    });
  });
});
