import { AxeBuilder } from '@axe-core/playwright';
import { Node, Session } from '@filepath/protocol';
import {
  Api,
  type Instance,
  scriptAgent,
  startBrowser,
  startInstance,
  startModelServer,
  type TestBrowser,
} from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

const KEY = 'key-of-a-provider-0123456789';
const WORKS = ['sh', '-c', `echo '{"type":"text","content":"at it"}'; exec sleep 600`];
const ENDS = ['sh', '-c', `read -r task; echo '{"type":"done"}'`];
const FAILS = ['sh', '-c', 'read -r task; exit 3'];

let server: Awaited<ReturnType<typeof startModelServer>>;
let instance: Instance;
let browser: TestBrowser;
let api: Api;
beforeAll(async () => {
  const script = () => ({ text: 'hello', usage: { input: 100, output: 1000 } });
  server = await startModelServer({ script, keys: [KEY] });
  instance = await startInstance({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
  browser = await startBrowser();
  api = new Api(instance);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await instance[Symbol.asyncDispose]();
  await server.close();
});

async function dashboard(look: { dark?: boolean; width?: number } = {}): Promise<Page> {
  const page = await browser.visitor(look);
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.getByTestId('new-session').first().waitFor();
  return page;
}

const row = (page: Page, id: string) => page.locator(`[data-session="${id}"]`);
const named = (page: Page): Promise<string[]> => page.locator('[data-row]').allInnerTexts();

async function axe(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map((one) => `${one.id}: ${one.nodes.map(({ html }) => html).join(', ')}`);
}

async function shot(page: Page, name: string): Promise<void> {
  const dir = process.env['SCREENSHOTS'];
  if (dir) await page.screenshot({ path: `${dir}/${name}.png` });
}

it('an empty dashboard says what a session is; one that is created appears, and one that is deleted is gone', async () => {
  const page = await dashboard();
  await page.getByTestId('sessions-empty').waitFor();
  expect(await axe(page)).toEqual([]);
  await shot(page, 'dashboard-empty');
  await page.getByTestId('sessions-empty').getByTestId('new-session').click();
  await page.getByLabel('Name', { exact: true }).fill('made here');
  await page.getByTestId('create-session').click();
  await page.waitForURL('**/session/ses_*');
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.goto(instance.url);
  await row(page, id).getByText('no agent').waitFor();
  expect(await row(page, id).getAttribute('data-status')).toBe('draft');
  expect(await row(page, id).locator('time').innerText()).toMatch(/just now|s ago/);

  await page.getByRole('button', { name: 'Delete made here' }).click();
  await page.getByRole('alertdialog').getByText('This cannot be undone.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await row(page, id).count()).toBe(1);
  await page.getByRole('button', { name: 'Delete made here' }).click();
  await page.getByTestId('confirm').click();
  await row(page, id).waitFor({ state: 'detached' });
  expect((await api.call('GET', `/api/session/${id}`)).status).toBe(404);
});

it('[UIS5] status, agents, cost and what waits are true without a reload; stopping stops', async () => {
  const page = await dashboard();
  const busy = await api.agent(WORKS, { name: 'worker' });
  await row(page, busy.session.id).getByText('1 agent').waitFor();
  await api.message(busy.node.id, 'go');
  await page.locator(`[data-session="${busy.session.id}"][data-status="running"]`).waitFor();
  await api.json(z.unknown(), 'POST', `/api/session/${busy.session.id}/node`, {
    agentType: 'custom',
    parentId: busy.node.id,
    config: { command: WORKS },
  });
  await row(page, busy.session.id).getByText('2 agents').waitFor();

  const quick = await api.agent(ENDS, { name: 'quick' });
  await api.message(quick.node.id, 'go');
  await page.locator(`[data-session="${quick.session.id}"][data-status="done"]`).waitFor();

  const failing = await api.agent(FAILS, { name: 'failing' });
  await api.message(failing.node.id, 'go');
  await row(page, failing.session.id).getByTestId('session-waits').waitFor();

  const paid = await api.json(z.object({ session: Session, node: Node }), 'POST', '/api/session', {
    name: 'costs money',
    root: {
      agentType: 'custom',
      model: 'anthropic/claude-opus-4.8',
      config: scriptAgent('caller', '1'),
    },
  });
  await row(page, paid.session.id).getByTestId('session-cost').filter({ hasText: '–' }).waitFor();
  await api.message(paid.node.id, 'go');
  await row(page, paid.session.id)
    .getByTestId('session-cost')
    .filter({ hasText: '$0.03' })
    .waitFor();
  for (const look of [{ width: 1440 }, { width: 1440, dark: true }, { width: 390 }]) {
    const other = await dashboard(look);
    await row(other, failing.session.id).getByTestId('session-waits').waitFor();
    expect(await axe(other)).toEqual([]);
    expect(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(
      true,
    );
    await shot(other, `dashboard-${look.width}${look.dark ? '-dark' : ''}`);
  }

  await page.getByRole('button', { name: `Stop ${busy.session.name}` }).click();
  await page.getByRole('alertdialog').getByText('All 2 agents are told to stop').waitFor();
  await page.getByTestId('confirm').click();
  await page.locator(`[data-session="${busy.session.id}"][data-status="stopped"]`).waitFor();
  expect((await api.tree(busy.session.id)).session.status).toBe('stopped');
});

it('[UIS5] sessions are searched, sorted, and gone through by keys; a deletion leaves the focus on the next', async () => {
  const made: string[] = [];
  for (const name of ['alpha zebra', 'beta zebra', 'gamma zebra']) {
    const body = { name, gitRepoUrl: `/srv/${name.split(' ')[0]}` };
    const { session } = await api.json(
      z.object({ session: Session }),
      'POST',
      '/api/session',
      body,
    );
    made.push(session.id);
  }
  const page = await dashboard();
  await row(page, made[2] ?? '').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('zebra');
  await expect.poll(() => named(page)).toEqual(['gamma zebra', 'beta zebra', 'alpha zebra']);
  await page.getByTestId('session-order').selectOption('name');
  await expect.poll(() => named(page)).toEqual(['alpha zebra', 'beta zebra', 'gamma zebra']);
  await page.getByTestId('session-search').fill('srv/beta');
  await expect.poll(() => named(page)).toEqual(['beta zebra']);
  await page.getByTestId('session-search').fill('no such thing');
  await page.getByTestId('sessions-none').getByRole('button').click();
  await page.getByTestId('session-search').fill('zebra');

  await page.getByTestId('session-search').press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Delete');
  await page.getByRole('alertdialog', { name: 'Delete beta zebra?' }).waitFor();
  await page.getByTestId('confirm').click();
  await expect.poll(() => named(page)).toEqual(['alpha zebra', 'gamma zebra']);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe('gamma zebra');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/session/${made[2]}`);
  await page.goBack();
  await expect.poll(() => page.getByTestId('session-order').inputValue()).toBe('name');
});

it('[UIS5] a page that cannot reach filepath says so, keeps what it shows, and goes on when it is back', async () => {
  const { session } = await api.agent(WORKS, { name: 'seen' });
  const page = await dashboard();
  await row(page, session.id).waitFor();
  // Dialogs are fetched once the page rests.
  await page.waitForFunction(() => performance.getEntriesByName('parts-fetched').length > 0);
  await page.context().setOffline(true);
  await page.getByTestId('sessions-stale').getByText('What is shown was read').waitFor();
  await row(page, session.id).waitFor();
  await page.getByRole('button', { name: `Delete ${session.name}` }).click();
  await page.getByTestId('confirm').click();
  // What was asked for was not done, and the dialog says so.
  await page.getByRole('alertdialog').getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.context().setOffline(false);
  await page.getByTestId('sessions-stale').waitFor({ state: 'detached' });
  expect(await row(page, session.id).count()).toBe(1);

  await page.route('**/api/session', (route) => route.abort());
  await page.reload();
  await page.getByTestId('sessions-failed').waitFor();
  await page.unroute('**/api/session');
  await page.getByTestId('sessions-failed').getByRole('button').click();
  await row(page, session.id).waitFor();
});
