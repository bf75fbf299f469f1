import { Api, scriptAgent, startBrowser, startInstance } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

/** What is the same in both themes: no color, and those of idle, thinking, running, done and error. */
const SAME = new Set([
  'rgba(0, 0, 0, 0)',
  'rgb(82, 82, 91)',
  'rgb(245, 158, 11)',
  'rgb(129, 140, 248)',
  'rgb(34, 197, 94)',
  'rgb(239, 68, 68)',
]);

/** Every color that is drawn in the session page, as text, ground or line. */
async function drawn(page: Page): Promise<Set<string>> {
  const colors = await page.evaluate(() =>
    [...document.querySelectorAll('#app *')].flatMap((one) => {
      const style = getComputedStyle(one);
      return [style.color, style.backgroundColor, style.borderTopColor];
    }),
  );
  return new Set(colors);
}

it('light is the default, dark can be chosen, fonts and animations are the bundled ones, and every part follows the theme', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('all-events').command);
  await api.message(node.id, 'say everything');
  const page = await browser.visitor();
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.locator('[data-block="done"]').waitFor();
  expect(await page.evaluate(() => document.documentElement.className)).toBe('');

  const fonts = await page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.fonts].map((font) => `${font.family}: ${font.status}`).sort();
  });
  expect(fonts).toEqual(['JetBrains Mono: loaded', 'Outfit: loaded']);
  const body = await page.evaluate(() => {
    const { fontFamily, fontSize, scrollbarWidth } = getComputedStyle(document.body);
    return { fontFamily, fontSize, scrollbarWidth };
  });
  expect(body.fontFamily.startsWith('"JetBrains Mono"')).toBe(true);
  expect(body).toMatchObject({ fontSize: '13px', scrollbarWidth: 'thin' });
  const named = await page.evaluate(() =>
    [...document.styleSheets].flatMap((sheet) =>
      [...sheet.cssRules].flatMap((rule) => (rule instanceof CSSKeyframesRule ? [rule.name] : [])),
    ),
  );
  expect(named).toEqual(expect.arrayContaining(['pulse', 'bounce']));

  // A color that is drawn in both themes would be one that no variable gives, unless it is a status.
  const light = await drawn(page);
  await page.getByTestId('theme').click();
  const dark = await drawn(page);
  const fixed = [...light].filter((one) => dark.has(one) && !SAME.has(one));
  expect(fixed).toEqual([]);
});
