import { Api, scriptAgent, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

const KINDS = ['message', 'text', 'tool', 'command', 'commits', 'spawn', 'workers', 'handoff'];

it('the session page is top bar, tree and panel: selection drives the panel, a spawn makes a node, all messages show, the theme toggles', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('all-events').command, { name: 'root' });
  await api.message(node.id, 'say everything');
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);

  for (const kind of KINDS) await page.locator(`[data-block="${kind}"]`).first().waitFor();
  const bar = await page.getByRole('banner').first().boundingBox();
  const tree = await page.getByTestId('tree-pane').boundingBox();
  const panel = await page.getByRole('region', { name: /conversation/ }).boundingBox();
  if (!bar || !tree || !panel) throw new Error('a part of the page is not drawn');
  expect(bar.y + bar.height).toBe(tree.y);
  expect(Math.round(tree.x + tree.width)).toBeLessThanOrEqual(Math.round(panel.x));
  expect(panel.x + panel.width).toBe(1280);

  await page.locator('[data-node]', { hasText: 'helper' }).click();
  await page.getByRole('heading', { name: 'helper', level: 1 }).waitFor();
  await page.locator('[data-block]', { hasText: 'child at work on' }).first().waitFor();
  expect(new URL(page.url()).searchParams.get('node')).not.toBe(node.id);

  await page.getByTestId('spawn').click();
  await page.getByRole('dialog').waitFor();
  await page.getByLabel('Custom').check({ force: true });
  await page.getByLabel(/command/i).fill('cat');
  await page.getByTestId('spawn-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('[data-node]').nth(2).waitFor();
  expect((await api.tree(session.id)).nodes).toHaveLength(3);

  await page.getByTestId('theme').click();
  expect(await page.evaluate(() => document.documentElement.className)).toBe('dark');
});
