import { exports } from 'cloudflare:workers';
import { Passkey } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ask, call, ORIGIN, OWNER } from './support/api.ts';
import { Authenticator } from './support/authenticator.ts';
import { cookieOf } from './support/browsers.ts';
import { signInAs } from './support/users.ts';

const Options = z.object({ challenge: z.string() });
type Headers = Record<string, string>;

async function challengeOf(path: string, headers: Headers = {}): Promise<string> {
  const answer = await call(path, { method: 'POST', headers });
  expect(answer.status).toBe(200);
  return Options.parse(await answer.json()).challenge;
}

const toRegister = (headers: Headers = OWNER) =>
  challengeOf('/api/auth/passkey/registration', headers);
const toSignIn = () => challengeOf('/api/auth/passkey/challenge');

const add = (credential: unknown, headers: Headers = OWNER, name = 'laptop') =>
  call('/api/passkeys', { method: 'POST', headers, body: { name, credential } });
const signIn = (credential: unknown) =>
  call('/api/auth/sign-in/passkey', { method: 'POST', body: { credential } });

async function registered(headers: Headers = OWNER) {
  const key = await Authenticator.for('localhost');
  const answer = await add(
    await key.create({ challenge: await toRegister(headers), origin: ORIGIN }),
    headers,
  );
  expect(answer.status).toBe(201);
  const { passkey } = z.object({ passkey: Passkey }).parse(await answer.json());
  return { key, passkey };
}

const listed = async (): Promise<Passkey[]> =>
  z.object({ passkeys: z.array(Passkey) }).parse(await ask(200, 'GET', '/api/passkeys')).passkeys;

async function later(ms: number, work: () => Promise<unknown>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}

describe('a passkey', () => {
  it('[UIG10] is registered by a person and signs in its user', async () => {
    const { key, passkey } = await registered();
    expect(passkey).toMatchObject({ name: 'laptop', host: 'localhost', usedAt: null });
    const answer = await signIn(await key.get({ challenge: await toSignIn(), origin: ORIGIN }));
    expect(await answer.json()).toEqual({ signedIn: true });
    const cookie = cookieOf(answer);
    const who = await call('/api/auth/get-session', { headers: { cookie } });
    expect(await who.json()).toMatchObject({ user: { id: 'owner' } });
    expect((await listed()).find(({ id }) => id === passkey.id)?.usedAt).not.toBeNull();
  });

  it('[UIG10] signs in nobody once it is removed', async () => {
    const { key, passkey } = await registered();
    await ask(204, 'DELETE', `/api/passkeys/${passkey.id}`);
    const answer = await signIn(await key.get({ challenge: await toSignIn(), origin: ORIGIN }));
    expect([answer.status, cookieOf(answer)]).toEqual([401, '']);
    await ask(404, 'DELETE', `/api/passkeys/${passkey.id}`);
  });

  it('[UIG10] signs in the user who registered it', async () => {
    const stranger = await signInAs('passkey-stranger');
    const { key, passkey } = await registered(stranger);
    expect((await listed()).some(({ id }) => id === passkey.id)).toBe(false);
    await ask(404, 'DELETE', `/api/passkeys/${passkey.id}`);
    const answer = await signIn(await key.get({ challenge: await toSignIn(), origin: ORIGIN }));
    const who = await call('/api/auth/get-session', { headers: { cookie: cookieOf(answer) } });
    expect(await who.json()).toMatchObject({ user: { id: 'passkey-stranger' } });
  });
});

describe('a challenge', () => {
  it('[UIG11] is answered once, however many try at once', async () => {
    const { key } = await registered();
    const answer = await key.get({ challenge: await toSignIn(), origin: ORIGIN });
    const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(answer)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401]);
  });

  it('[UIG11] is over after five minutes', async () => {
    const { key } = await registered();
    const other = await Authenticator.for('localhost');
    const made = await other.create({ challenge: await toRegister(), origin: ORIGIN });
    const answer = await key.get({ challenge: await toSignIn(), origin: ORIGIN });
    await later(5 * 60_000 + 1, async () => {
      expect((await signIn(answer)).status).toBe(401);
      expect((await add(made)).status).toBe(400);
    });
  });

  it('[UIG11] is good for its own use and user only', async () => {
    const { key } = await registered();
    const stranger = await signInAs('challenge-stranger');
    const swapped = await key.get({ challenge: await toRegister(), origin: ORIGIN });
    expect((await signIn(swapped)).status).toBe(401);
    const other = await Authenticator.for('localhost');
    for (const challenge of [await toSignIn(), await toRegister(stranger), 'AAAA']) {
      expect((await add(await other.create({ challenge, origin: ORIGIN }))).status).toBe(400);
    }
  });

  it('[UIG11] asks for a person who was verified, under this origin and host', async () => {
    const { key } = await registered();
    const evil = 'https://evil.test';
    const unverified = { challenge: await toSignIn(), origin: ORIGIN, flags: 0x01 };
    expect((await signIn(await key.get(unverified))).status).toBe(401);
    const foreign = await key.get({ challenge: await toSignIn(), origin: evil });
    expect((await signIn(foreign)).status).toBe(401);
    const elsewhere = await Authenticator.for('evil.test');
    const made = await elsewhere.create({ challenge: await toRegister(), origin: ORIGIN });
    expect((await add(made)).status).toBe(400);
  });
});

it('[UIG12] no passkey is made for the number of a machine, and the answer says what to open', async () => {
  const url = 'http://192.168.7.7:4280/api/auth/passkey/registration';
  const there = await exports.default.fetch(new Request(url, { method: 'POST', headers: OWNER }));
  expect(there.status).toBe(409);
  expect(await there.text()).toContain('http://localhost');
});
