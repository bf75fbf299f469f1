import { Device, DeviceLink } from '@filepath/protocol';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ask, call, newSession, OWNER } from './support/api.ts';
import { cookieOf, newBrowser } from './support/browsers.ts';
import { signInAs } from './support/users.ts';

type Headers = Record<string, string>;

async function devicesOf(headers: Headers): Promise<Device[]> {
  const answer = await call('/api/devices', { headers });
  expect(answer.status).toBe(200);
  return z.object({ devices: z.array(Device) }).parse(await answer.json()).devices;
}

const statusOf = async (headers: Headers) => (await call('/api/session', { headers })).status;

async function later(ms: number, work: () => Promise<unknown>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}

describe('devices', () => {
  it('[UIG1] lists the signed-in browsers, the one that asks marked, without their tokens', async () => {
    const phone = await newBrowser('Phone/1');
    const laptop = await newBrowser('Laptop/2');
    const listed = await devicesOf(laptop);
    expect(listed.filter(({ current }) => current)).toMatchObject([{ userAgent: 'Laptop/2' }]);
    expect(listed.map(({ userAgent }) => userAgent)).toContain('Phone/1');
    expect((await devicesOf(OWNER)).every(({ current }) => !current)).toBe(true);
    const text = JSON.stringify(listed);
    for (const { cookie } of [phone, laptop]) {
      const token = decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? '';
      expect(token.length).toBeGreaterThan(20);
      expect(text).not.toContain(token);
    }
  });

  it('[UIG1] says when each was last seen', async () => {
    const browser = await newBrowser('Seen/1');
    const before = (await devicesOf(browser)).find(({ current }) => current);
    await later(10 * 60_000, () => call('/api/session', { headers: browser }));
    const after = (await devicesOf(OWNER)).find(({ id }) => id === before?.id);
    const gap = Date.parse(after?.seenAt ?? '') - Date.parse(before?.seenAt ?? '');
    expect(gap).toBeGreaterThanOrEqual(9 * 60_000);
    expect(after?.expiresAt).toBe(before?.expiresAt);
  });

  it('[UIG2] signs one out at once, or all others', async () => {
    const [one, two, three] = [await newBrowser('A'), await newBrowser('B'), await newBrowser('C')];
    const id = (await devicesOf(one)).find(({ userAgent }) => userAgent === 'B')?.id ?? '';
    const gone = await call(`/api/devices/${id}`, { method: 'DELETE', headers: one });
    expect(gone.status).toBe(204);
    expect([await statusOf(one), await statusOf(two), await statusOf(three)]).toEqual([
      200, 401, 200,
    ]);
    const again = await call(`/api/devices/${id}`, { method: 'DELETE', headers: one });
    expect(again.status).toBe(404);

    const others = await call('/api/devices', { method: 'DELETE', headers: one });
    expect(others.status).toBe(200);
    expect([await statusOf(one), await statusOf(three)]).toEqual([200, 401]);
    expect(await devicesOf(one)).toMatchObject([{ userAgent: 'A', current: true }]);
  });

  it('[UIG2] leaves those of another user alone', async () => {
    const stranger = await signInAs('device-stranger');
    const [theirs] = await devicesOf(stranger);
    const path = `/api/devices/${theirs?.id ?? ''}`;
    expect((await call(path, { method: 'DELETE', headers: OWNER })).status).toBe(404);
    await ask(200, 'DELETE', '/api/devices');
    expect(await statusOf(stranger)).toBe(200);
  });
});

describe('a link for another device', () => {
  const LAN = 'http://192.168.7.7:4280';
  const mint = async (headers: Headers, body: unknown) =>
    call('/api/auth/device-link', { method: 'POST', headers, body });

  it('[UIG3] signs in once, and leads to the session', async () => {
    const session = await newSession();
    const to = `/session/${session.id}`;
    const answer = await mint(await newBrowser(), { origin: LAN, to });
    expect(answer.status).toBe(201);
    const { url, expiresAt } = DeviceLink.parse(await answer.json());
    expect(url.startsWith(`${LAN}/api/auth/sign-in/link?token=`)).toBe(true);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    const path = url.slice(LAN.length);
    const first = await call(path);
    expect([first.status, first.headers.get('location')]).toEqual([303, to]);
    expect(await statusOf({ cookie: cookieOf(first) })).toBe(200);
    const second = await call(path);
    expect(second.headers.get('location')).toBe('/sign-in?error=expired');
  });

  it('[UIG3] works no more after five minutes', async () => {
    const { url } = DeviceLink.parse(await (await mint(OWNER, { origin: LAN })).json());
    await later(5 * 60_000 + 1, async () => {
      const answer = await call(url.slice(LAN.length));
      expect(answer.headers.get('location')).toBe('/sign-in?error=expired');
    });
  });

  it('[UIG3] signs in the one who asked for it', async () => {
    const stranger = await signInAs('link-stranger');
    const { url } = DeviceLink.parse(await (await mint(stranger, { origin: LAN })).json());
    const cookie = cookieOf(await call(url.slice(LAN.length)));
    const who = await call('/api/auth/get-session', { headers: { cookie } });
    expect(await who.json()).toMatchObject({ user: { id: 'link-stranger' } });
  });

  it.each([
    { origin: 'https://evil.test' },
    { origin: 'http://localhost:4280' },
    { origin: LAN, to: '//evil.test' },
    { origin: LAN, to: 'https://evil.test/' },
    { origin: LAN, to: '/session/../x' },
    { origin: LAN, to: '/settings' },
    { origin: LAN, more: 1 },
  ])('[UIG3] is not made for %j', async (body) => {
    expect((await mint(OWNER, body)).status).toBe(400);
  });

  it('[UIG3] the addresses say which of them other machines reach', async () => {
    expect(await ask(200, 'GET', '/api/addresses')).toEqual({
      addresses: [
        { origin: LAN, loopback: false },
        { origin: 'http://localhost:4280', loopback: true },
      ],
    });
  });
});
