import { startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

it('[OFF1] [OFF2] the first minute without a key: Shelley is led through its tools, and every label says offline/demo', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.getByTestId('new-session').first().click();
  await page.getByTestId('create-session').click();
  await page.waitForURL('**/session/ses_*');
  await page.getByRole('radio', { name: /shelley/i }).check();
  await expect.poll(() => page.getByTestId('model').inputValue()).toBe('offline/demo');
  await page.getByTestId('spawn-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByTestId('message-input').fill('plant a rose');
  await page.getByTestId('message-input').press('Enter');
  await page.getByTestId('run-line').last().waitFor({ timeout: 150_000 });
  await page.locator('header .model', { hasText: 'offline/demo' }).waitFor();
  const spawned = page.locator('[data-block="spawn"]');
  await expect
    .poll(() => spawned.locator('.model').allTextContents())
    .toEqual(['offline/demo', 'offline/demo']);
  for (const text of ['a script that is built into filepath, not a language model', 'set a key']) {
    await page.locator('[data-block="text"]', { hasText: text }).first().waitFor();
  }
  await page.locator('[data-block="commits"]').first().waitFor();
  for (const name of ['demo reader', 'demo writer']) {
    await page.locator('[data-node][data-status="done"]', { hasText: name }).waitFor();
  }
});
