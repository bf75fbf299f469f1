import { expect, it } from 'vitest';
import { input, startClaw } from '../e2e/liteclaw-support.ts';

it('/hatchery says what LiteClaw is, has one way to go, and leads to the chat within three seconds', async () => {
  await using claw = await startClaw([]);
  const page = await claw.visit('/hatchery');
  await page.getByRole('heading', { level: 1, name: 'LiteClaw' }).waitFor();
  await page.getByText('One assistant of your own').waitFor();
  await page.locator('[data-testid="claw-status"][data-state="not_spawned"]').waitFor();
  // The frame of the app is its top bar; nothing else stands beside the page.
  expect(await page.getByRole('banner').count()).toBe(1);
  expect(await page.getByRole('complementary').count()).toBe(0);

  const begun = performance.now();
  await page.getByRole('button', { name: 'Spawn your LiteClaw' }).click();
  await page.waitForURL(/\/chat\/th_/);
  await page.getByTestId('chat-welcome').waitFor();
  expect(await input(page).isEditable()).toBe(true);
  expect(performance.now() - begun).toBeLessThan(3_000);

  const { pathname } = new URL(page.url());
  await page.goBack();
  await page.locator('[data-testid="claw-status"][data-state="ready"]').waitFor();
  await page.getByRole('link', { name: 'Go to chat' }).click();
  await page.waitForURL((url) => url.pathname === pathname);
});
