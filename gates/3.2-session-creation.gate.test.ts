import { AxeBuilder } from '@axe-core/playwright';
import {
  type Instance,
  makeRepo,
  startBrowser,
  startInstance,
  tempDir,
  type TestBrowser,
} from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ECHOES = `printf '{"type":"text","content":"on %s"}\\n' "$(git branch --show-current)"
echo '{"type":"done"}'`;

let instance: Instance;
let browser: TestBrowser;
beforeAll(async () => {
  instance = await startInstance();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await instance[Symbol.asyncDispose]();
});

async function newSession(look: { dark?: boolean; width?: number } = {}): Promise<Page> {
  const page = await browser.visitor(look);
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.getByTestId('new-session').first().click();
  await page.getByRole('dialog', { name: 'New session' }).waitFor();
  return page;
}

async function axe(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map((one) => `${one.id}: ${one.nodes.map(({ html }) => html).join(', ')}`);
}

async function shot(page: Page, name: string): Promise<void> {
  const dir = process.env['SCREENSHOTS'];
  if (dir) await page.screenshot({ path: `${dir}/${name}.png` });
}

it('new → name → the session → its first agent → a message → the agent works, as one flow', async () => {
  using repo = tempDir('repo');
  makeRepo(repo.path);
  const page = await newSession();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toMatch(/^[a-z]+-\d+$/);
  await page.getByLabel('Name', { exact: true }).fill('first light');
  await page.getByLabel(/repository/i).fill(repo.path);
  await page.getByTestId('create-session').click();
  await page.waitForURL('**/session/ses_*');

  // Nothing is pressed between the two dialogs.
  const dialog = page.getByRole('dialog', { name: 'Spawn the root agent' });
  await dialog.waitFor();
  await page.getByRole('radio', { name: 'Custom' }).check({ force: true });
  await page.getByLabel(/command/i).fill(ECHOES);
  await page.getByTestId('spawn-confirm').click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.title()).toContain('first light');
  await page.getByTestId('message-input').fill('where are you?');
  await page.getByTestId('message-input').press('Enter');
  await page.locator('[data-block="text"]', { hasText: 'on filepath/' }).waitFor();
  await page.locator('[data-node][data-status="done"]').waitFor();

  // The repository is offered the next time.
  await page.goto(instance.url);
  await page.getByTestId('new-session').first().click();
  await page.getByTestId('recent-repository').first().click();
  expect(await page.getByLabel(/repository/i).inputValue()).toBe(repo.path);
  await page.getByTestId('repository-check').getByText('Found, on main.').waitFor();
});

it('[UIS6] a repository is checked while it is typed; what is wrong is said beside it', async () => {
  using dir = tempDir('plain');
  const page = await newSession();
  const field = page.getByLabel(/repository/i);
  const dialog = page.getByRole('dialog');
  await field.fill('~/project');
  await dialog.getByText('A path begins with /').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await field.fill(`${dir.path}/none`);
  await dialog.getByText('there is nothing at this path').waitFor();
  await field.fill(dir.path);
  await dialog.getByText('does not appear to be a git repository').waitFor();
  expect(await axe(page)).toEqual([]);
  await shot(page, 'new-session-wrong');

  // The person is told once, and may go on.
  await page.getByTestId('create-session').click();
  await page.getByTestId('create-session').getByText('Create anyway').waitFor();
  expect(page.url()).not.toContain('/session/');
  makeRepo(dir.path);
  await field.fill('');
  await field.fill(dir.path);
  await page.getByTestId('repository-check').getByText('Found, on main.').waitFor();
  await page.getByTestId('create-session').getByText('Create', { exact: true }).click();
  await page.waitForURL('**/session/ses_*');
});

it('[UIS6] an address with a token is kept by no browser', async () => {
  const page = await newSession();
  await page.getByLabel(/repository/i).fill('http://me:secret-token@127.0.0.1:9/x.git');
  await page.getByTestId('create-session').click();
  await page.getByTestId('create-session').getByText('Create anyway').click();
  await page.waitForURL('**/session/ses_*');
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('secret-token');
});

it('[UIS6] both dialogs are whole on a phone and in the dark', async () => {
  for (const look of [{ width: 390 }, { width: 390, dark: true }, { width: 1440, dark: true }]) {
    const page = await newSession(look);
    expect(await axe(page)).toEqual([]);
    const name = `${look.width}${look.dark ? '-dark' : ''}`;
    await shot(page, `new-session-${name}`);
    await page.getByTestId('create-session').click();
    await page.getByTestId('model').waitFor();
    await page.getByRole('radio', { name: 'Claude Code' }).check({ force: true });
    await page.getByTestId('spawn-more').locator('summary').click();
    await page.getByRole('radio', { name: 'allowlist' }).check({ force: true });
    await page.getByLabel('Gates').fill('npm test');
    expect(await axe(page)).toEqual([]);
    expect(
      await page
        .getByRole('dialog')
        .evaluate((one) => one.scrollWidth <= one.clientWidth && innerWidth >= one.clientWidth),
    ).toBe(true);
    await shot(page, `spawn-more-${name}`);
    await page.getByTestId('spawn-confirm').waitFor();
    expect(
      await page.getByTestId('spawn-confirm').evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }),
    ).toBe(true);
  }
});
