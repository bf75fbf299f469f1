import { AxeBuilder } from '@axe-core/playwright';
import { Api, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

async function axe(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`,
  );
}

/** What has the focus, by its test id or accessible name. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    return (
      element?.getAttribute('data-testid') ??
      element?.getAttribute('aria-label') ??
      element?.getAttribute('name') ??
      element?.textContent?.trim() ??
      ''
    );
  });

it('[UIS1] a dialog takes the focus, keeps it, closes with Escape and gives it back', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['true']);
  const page = await browser.visitor();
  const said: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') said.push(message.text());
  });
  await page.goto(instance.signInUrl);

  const dialog = page.getByRole('dialog', { name: 'New session' });
  await page.getByTestId('new-session').first().focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await expect.poll(() => focused(page)).toBe('name');
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(
    await page.getByLabel('Name', { exact: true }).inputValue(),
  );
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    expect(await dialog.evaluate((one) => one.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Shift+Tab');
  expect(await dialog.evaluate((one) => one.contains(document.activeElement))).toBe(true);
  expect(await axe(page)).toEqual([]);

  // A press beside it takes nothing away.
  await page.mouse.click(4, 400);
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('new-session');

  await page.getByRole('button', { name: `Delete ${session.name}` }).focus();
  await page.keyboard.press('Enter');
  const alert = page.getByRole('alertdialog', { name: `Delete ${session.name}?` });
  await alert.waitFor();
  await expect.poll(() => focused(page)).toBe('Cancel');
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await alert.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe(`Delete ${session.name}`);
  expect(await page.locator(`[data-session="${session.id}"]`).count()).toBe(1);
  expect(said).toEqual([]);
});
