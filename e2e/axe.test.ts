import { AxeBuilder } from '@axe-core/playwright';
import { Api, scriptAgent, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

/** What is wrong with the page as it is now. The themes differ in colors only. */
async function wrong(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
    // Of WCAG 2.2, and off unless it is asked for.
    const axe = new AxeBuilder({ page }).options({ rules: { 'target-size': { enabled: true } } });
    if (colorScheme === 'dark') axe.withRules(['color-contrast', 'link-in-text-block']);
    const { violations } = await axe.analyze();
    for (const { id, nodes } of violations) {
      found.push(`${colorScheme} ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
    }
  }
  return found;
}

const dialog = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').waitFor();
};

it('[UIH13] no page, dialog or popover has a fault that axe finds, in either theme', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('all-events').command, { name: 'root' });
  await api.message(node.id, 'say everything');
  const asks = `read -r task; printf '{"type":"decision","id":"p1","prompt":"Run make?","options":["allow","deny"],"hash":"h","kind":"permission"}\\n'; read -r x`;
  const asker = await api.agent(['sh', '-c', asks], { name: 'asker' });
  await api.message(asker.node.id, 'go');
  const failing = await api.agent(['sh', '-c', 'exit 3'], { name: 'failing' });
  await api.message(failing.node.id, 'go');

  const page = await browser.visitor();
  const faults: Record<string, string[]> = {};
  const look = async (name: string): Promise<void> => {
    const found = await wrong(page);
    if (found.length > 0) faults[name] = found;
  };
  const at = (path: string) => page.goto(`${instance.url}${path}`);

  await at('/sign-in?error=expired');
  await page.getByTestId('token').waitFor();
  await look('sign-in');
  await at('/nothing/here');
  await page.getByTestId('error-page').waitFor();
  await look('error page');

  await at(`/api/auth/sign-in/link?token=${instance.token}`);
  await page.getByRole('link', { name: session.name }).first().waitFor();
  await page.getByTestId('attention-count').waitFor();
  await look('dashboard');
  await page.getByTestId('attention').click();
  await page.locator('[data-attention]').first().waitFor();
  await look('what waits');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByTestId('new-session').first().click();
  await dialog(page);
  await look('new session');

  await at(`/session/${session.id}`);
  await page.locator('[data-block="done"]').waitFor();
  await look('session');
  const first = page.locator('[data-node]').first();
  await first.hover();
  await page.getByTestId('tree-tip').waitFor();
  await look('tip of an agent');
  await first.click({ button: 'right' });
  await page.getByRole('menu').waitFor();
  await look('menu of an agent');
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette').waitFor();
  await look('palette');
  await page.keyboard.press('Escape');
  await page.getByTestId('palette').waitFor({ state: 'detached' });
  await page.getByTestId('spawn').click();
  await dialog(page);
  await page.getByTestId('spawn-confirm').waitFor();
  await look('spawn');
  await at(`/session/${asker.session.id}`);
  await page.locator('[data-block="decision"]').waitFor();
  await look('a question');
  await at(`/session/${failing.session.id}`);
  await page.locator('[data-node][data-status="error"]').waitFor();
  await look('a failure');

  for (const path of ['/settings', '/memory', '/docs', '/docs/explanation/trees', '/docs/none']) {
    await at(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await look(path);
  }

  await page.setViewportSize({ width: 390, height: 800 });
  await at(`/session/${session.id}`);
  await page.locator('[data-block="done"]').waitFor();
  await look('session on a phone');
  await page.getByTestId('agents-menu').click();
  await page.getByTestId('tree-drawer').waitFor();
  await look('drawer');
  expect(faults).toEqual({});
}, 600_000);
