import { Api, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

/** Waits until the tree has this width, or nearly. */
async function isWide(page: Page, wanted: number, off = 0): Promise<void> {
  const width = async (): Promise<number> =>
    Math.round((await page.getByTestId('tree-pane').boundingBox())?.width ?? 0);
  await expect.poll(async () => Math.abs((await width()) - wanted)).toBeLessThanOrEqual(off);
}

it('[UIH1] [UIH3] fonts come with the page, before anything asks for them; a chosen theme is there before the first paint, and in every tab', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  const html = await (await fetch(instance.url)).text();
  const preloads = [...html.matchAll(/<link href="([^"]+\.woff2)" rel="preload" as="font"/g)];
  expect(preloads.map((one) => one[1])).toEqual([
    expect.stringContaining('jetbrains-mono-latin'),
    expect.stringContaining('outfit-latin'),
  ]);

  await page.goto(`${instance.url}/sign-in`);
  await page.getByTestId('theme').click();
  await page.reload();
  // What the class is when the body begins: before any part of the page is drawn.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      document.documentElement.dataset['early'] = document.documentElement.className;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  const root = page.locator('html');
  expect(await root.getAttribute('data-early')).toBe('dark');

  const other = await page.context().newPage();
  await other.goto(`${instance.url}/sign-in`);
  await other.getByTestId('theme').click();
  await page.locator('html:not(.dark)').waitFor();
});

it('[UIH4] the tree is drawn between 150 and 360 pixels, by mouse and keys, and keeps its width over reloads and sizes of the page', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['cat']);
  const page = await browser.visitor({ width: 1440 });
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);
  const handle = page.getByRole('separator', { name: 'Width of the tree' });
  await isWide(page, 264, 1);
  // The handle comes after the tree, and takes its place then.
  await expect.poll(() => handle.boundingBox()).toMatchObject({ x: expect.closeTo(264, -1) });

  await page.mouse.move(264, 400);
  await page.mouse.down();
  await page.mouse.move(900, 400, { steps: 5 });
  await page.mouse.up();
  await isWide(page, 360);
  await handle.focus();
  await page.keyboard.press('ArrowLeft');
  await isWide(page, 344, 1);
  await page.setViewportSize({ width: 1000, height: 800 });
  await isWide(page, 344, 1);
  await page.reload();
  await handle.waitFor();
  await isWide(page, 344, 1);
  await handle.focus();
  await page.keyboard.press('Home');
  await isWide(page, 150);
});

it('[UIH5] the drawer takes the focus, keeps it, gives it back, and closes by key, by a tap beside it and by a swipe; a draft survives', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const { session } = await new Api(instance).agent(['cat']);
  const page = await browser.visitor({ width: 360 });
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);
  const [menu, drawer] = [page.getByTestId('agents-menu'), page.getByTestId('tree-drawer')];
  const inside = () =>
    drawer.evaluate(
      (one) => one === document.activeElement || one.contains(document.activeElement),
    );
  await page.getByTestId('message-input').fill('a draft');

  await menu.focus();
  await page.keyboard.press('Enter');
  await drawer.waitFor();
  await expect.poll(inside).toBe(true);
  for (let step = 0; step < 6; step += 1) {
    await page.keyboard.press('Tab');
    expect(await inside()).toBe(true);
  }
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await expect.poll(() => menu.evaluate((one) => one === document.activeElement)).toBe(true);

  await menu.click();
  await drawer.waitFor();
  await page.mouse.click(350, 500);
  await drawer.waitFor({ state: 'detached' });
  await menu.click();
  await drawer.waitFor();
  await page.mouse.move(250, 500);
  await page.mouse.down();
  await page.mouse.move(120, 500, { steps: 4 });
  await page.mouse.up();
  await drawer.waitFor({ state: 'detached' });

  await page.setViewportSize({ width: 1000, height: 800 });
  await page.getByTestId('tree-pane').waitFor();
  expect(await page.getByTestId('message-input').inputValue()).toBe('a draft');
});
