import { AxeBuilder } from '@axe-core/playwright';
import { Api, type Instance, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { z } from 'zod';

const SECTIONS = [
  'providers',
  'budget',
  'rules',
  'runners',
  'machine',
  'phone',
  'devices',
  'passkeys',
  'tokens',
];

/** Asks leave twice for the same thing. */
const AGENT = `read -r task
ask() { printf '{"type":"decision","id":"%s","prompt":"Run make?","options":["allow","deny"],"hash":"h","kind":"permission"}\\n' "$1"; }
ask p1; read -r one; ask p2; read -r two
echo '{"type":"text","content":"answered twice"}'`;

async function axe(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`,
  );
}

async function shot(page: Page, name: string): Promise<void> {
  const dir = process.env['SCREENSHOTS'];
  if (dir) await page.screenshot({ path: `${dir}/${name}.png`, fullPage: true });
}

const linkOf = ({ token }: Instance, origin: string): string =>
  `${origin}/api/auth/sign-in/link?token=${token}`;

async function openSettings(page: Page, instance: Instance, origin = instance.url): Promise<void> {
  await page.goto(linkOf(instance, origin));
  await page.goto(`${origin}/settings`);
  await page.getByTestId('devices').waitFor();
}

it('[UIG9] [UIG13] settings: rules, runners, the machine, devices, tokens; clean in both themes and on a phone', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { node } = await api.agent(['sh', '-c', AGENT], { name: 'asker' });
  const page = await browser.visitor();
  await openSettings(page, instance);
  await page.getByRole('navigation', { name: 'Settings' }).waitFor();
  for (const id of SECTIONS) {
    await page.locator(`a[href="#${id}"]`).waitFor();
    await page.locator(`section#${id}`).waitFor();
  }
  await page.getByTestId('rules').getByText('No rules.').waitFor();

  // A permission that was given for all of an agent is a rule, and can be taken back.
  await api.message(node.id, 'go');
  await page.getByTestId('attention').click();
  await page.locator('[data-attention] select').selectOption('agent');
  await page.locator('[data-attention] button', { hasText: 'allow' }).click();
  await expect
    .poll(async () => JSON.stringify(await api.events(node.id)))
    .toContain('answered twice');
  await page.reload();
  const rule = page.getByTestId('rules').locator('li', { hasText: 'Run make?' });
  await rule.getByText('for one custom agent').waitFor();
  await rule.getByText('allow', { exact: true }).waitFor();

  // Runner and machine.
  const runner = page.getByTestId('runners').locator('li');
  await runner.getByText('online').waitFor();
  await runner.locator('[data-executor="sandbox"]').waitFor();
  await page.locator('[data-check="git"][data-state="ok"]').waitFor();
  for (const name of ['bubblewrap', 'disk', 'port', 'cgroups'])
    await page.locator(`[data-check="${name}"]`).waitFor();

  // A token is shown once, works, and is revoked.
  await page.getByTestId('add-token').click();
  await page.getByTestId('token-name').fill('backup');
  await page.getByTestId('token-days').selectOption('30');
  expect(await axe(page)).toEqual([]);
  await page.getByTestId('token-save').click();
  const secret = await page.getByTestId('secret').inputValue();
  expect(secret).toMatch(/^fpt_[\w-]{43}$/);
  expect(await axe(page)).toEqual([]);
  await shot(page, 'token');
  await page.getByTestId('token-done').click();
  const token = page.getByTestId('tokens').locator('li', { hasText: 'backup' });
  await token.getByText('never used').waitFor();
  expect(await page.content()).not.toContain(secret);
  const program = new Api({ url: instance.url, token: secret });
  expect((await program.call('GET', '/api/session')).status).toBe(200);
  expect((await program.call('GET', '/api/tokens')).status).toBe(401);

  // Loopback: how to be reached from elsewhere; passkeys need a name.
  await page.getByTestId('phone-loopback').getByText('FILEPATH_HOST=0.0.0.0').waitFor();
  await page.getByTestId('passkey-obstacle').getByText('http://localhost').waitFor();

  for (const [name, look] of [
    ['settings-light', { width: 1440 }],
    ['settings-dark', { width: 1440, dark: true }],
    ['settings-phone', { width: 390 }],
    ['settings-phone-dark', { width: 390, dark: true }],
  ] as const) {
    const other = await browser.visitor(look);
    await openSettings(other, instance);
    await other.locator('[data-check="git"]').waitFor();
    await other.getByTestId('tokens').getByText('last used').waitFor();
    await other.getByTestId('rules').getByText('Run make?').waitFor();
    expect(await axe(other)).toEqual([]);
    const { scrollWidth, clientWidth } = await other.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
    await shot(other, name);
  }

  await rule.getByRole('button', { name: /^Remove the rule/ }).click();
  await page.getByTestId('rules').getByText('No rules.').waitFor();
  await page.getByRole('button', { name: 'Revoke backup' }).click();
  await page.getByTestId('confirm').click();
  await page.getByTestId('tokens').getByText('No tokens yet.').waitFor();
  expect((await program.call('GET', '/api/session')).status).toBe(401);
});

it('[UIG13] a budget that was not read cannot be written over', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const set = { session: { usd: 3, tokens: null }, agent: { usd: null, tokens: 500 } };
  await api.json(z.unknown(), 'PUT', '/api/budget', { budget: { usd: 12, tokens: null } });
  await api.json(z.unknown(), 'PUT', '/api/budget/defaults', set);
  const page = await browser.visitor();
  await page.context().route(/\/api\/budget/, (route) => route.abort());
  await openSettings(page, instance);
  const section = page.locator('section#budget');
  const again = section.getByRole('button', { name: 'Try again' });
  await expect.poll(() => again.count()).toBe(2);
  for (const field of await section.locator('input').all())
    expect(await field.isDisabled()).toBe(true);
  for (const id of ['budget-save', 'budget-defaults-save'])
    expect(await page.getByTestId(id).isDisabled()).toBe(true);

  await page.context().unroute(/\/api\/budget/);
  await again.first().click();
  await expect.poll(() => again.count()).toBe(1);
  await again.click();
  await expect.poll(() => again.count()).toBe(0);
  const values = await section
    .locator('input')
    .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
  expect(values).toEqual(['12', '', '3', '', '', '500']);
});

it('[UIG2] a device that is signed out elsewhere is back at the sign-in page', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const [page, phone] = [await browser.visitor(), await browser.visitor({ width: 390 })];
  await openSettings(phone, instance);
  await openSettings(page, instance);
  const devices = page.getByTestId('devices').locator('li');
  expect(await devices.count()).toBe(2);
  await devices.filter({ hasText: 'this device' }).getByText('in use now').waitFor();
  await devices.getByRole('button', { name: /^Sign out/ }).click();
  await page.getByTestId('confirm').click();
  await expect.poll(() => devices.count()).toBe(1);
  await phone.reload();
  await phone.waitForURL('**/sign-in');

  await openSettings(phone, instance);
  await page.reload();
  await page.getByTestId('sign-out-others').click();
  await page.getByTestId('confirm').click();
  await expect.poll(() => devices.count()).toBe(1);
  await phone.reload();
  await phone.waitForURL('**/sign-in');
});

it('[UIG13] a QR code opens the session that one came from on another device, once', async () => {
  await using instance = await startInstance({ FILEPATH_ORIGIN: 'https://agents.example.test' });
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session } = await api.agent(['true'], { name: 'reader' });
  const [page, phone] = [await browser.visitor(), await browser.visitor({ width: 390 })];
  await page.goto(linkOf(instance, instance.url));
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.locator('[data-node]').first().waitFor();
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = '/settings#phone';
    document.body.append(link);
    link.click();
    link.remove();
  });
  const section = page.locator('section#phone');
  await expect.poll(() => section.getByLabel('Open').inputValue()).toBe(`/session/${session.id}`);
  await page.getByTestId('phone-make').click();
  const code = page.getByTestId('phone-qr');
  await code.getByText('It signs in once').waitFor();
  expect(await axe(page)).toEqual([]);
  await shot(page, 'phone-qr');
  const url = new URL((await code.getAttribute('data-url')) ?? '');
  expect(url.origin).toBe('https://agents.example.test');
  const here = `${instance.url}${url.pathname}${url.search}`;
  await phone.goto(here);
  await phone.waitForURL(`**/session/${session.id}`);
  const second = await browser.visitor();
  await second.goto(here);
  await second.waitForURL('**/sign-in?error=expired');
});

it('[UIG10] a passkey is added under localhost and signs in', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  const origin = `http://localhost:${instance.port}`;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await openSettings(page, instance, origin);
  await page.getByTestId('passkeys').getByText('No passkeys yet.').waitFor();
  await page.getByTestId('passkey-name').fill('test key');
  await page.getByTestId('passkey-add').click();
  const row = page.getByTestId('passkeys').locator('li', { hasText: 'test key' });
  await row.getByText('for localhost').waitFor();
  expect(await axe(page)).toEqual([]);

  await page.context().clearCookies();
  await page.goto(`${origin}/sign-in`);
  await page.getByTestId('use-passkey').waitFor();
  expect(await axe(page)).toEqual([]);
  await shot(page, 'sign-in');
  await page.getByTestId('use-passkey').click();
  await page.waitForURL(`${origin}/`);
  await page.getByTestId('new-session').first().waitFor();

  await page.goto(`${origin}/settings`);
  await row.getByText('last used').waitFor();
  await page.getByRole('button', { name: 'Remove test key' }).click();
  await page.getByTestId('confirm').click();
  await page.getByTestId('passkeys').getByText('No passkeys yet.').waitFor();
  await page.context().clearCookies();
  await page.goto(`${origin}/sign-in`);
  await page.getByTestId('use-passkey').click();
  await page.getByText('not known here').waitFor();
});
