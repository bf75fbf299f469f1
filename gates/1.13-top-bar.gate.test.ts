import { startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

it('the top bar has logo, name and a theme toggle that changes class, icon and variables', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  const bar = page.getByRole('banner').first();
  await bar.waitFor();
  expect(await bar.locator('.logo').innerText()).toBe('›_');
  expect(await bar.getByRole('link').innerText()).toContain('filepath');
  expect((await bar.boundingBox())?.height).toBe(44);

  const look = () =>
    page.evaluate(() => {
      const root = document.documentElement;
      const style = getComputedStyle(root);
      return {
        dark: root.classList.contains('dark'),
        bg: style.getPropertyValue('--bg'),
        t1: style.getPropertyValue('--t1'),
        ground: getComputedStyle(document.body).backgroundColor,
      };
    });
  expect(await look()).toEqual({
    dark: false,
    bg: '#fff',
    t1: '#1a1a1e',
    ground: 'rgb(255, 255, 255)',
  });
  expect(await bar.locator('.lucide-moon').count()).toBe(1);
  await page.getByTestId('theme').click();
  expect(await look()).toEqual({
    dark: true,
    bg: '#09090b',
    t1: '#e4e4e7',
    ground: 'rgb(9, 9, 11)',
  });
  expect(await bar.locator('.lucide-sun').count()).toBe(1);
  await page.getByTestId('theme').click();
  expect((await look()).dark).toBe(false);
});
