import { Api, scriptAgent, startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

it('on a phone the tree is a drawer behind a hamburger, the chat fills the page, and two devices show the same as it happens', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const { session, node } = await api.agent(scriptAgent('all-events').command, { name: 'root' });
  await api.message(node.id, 'say everything');
  const phone = await browser.visitor({ width: 390 });
  const desk = await browser.visitor();
  for (const page of [phone, desk]) {
    await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await page.goto(`${instance.url}/session/${session.id}`);
    await page.locator('[data-block="done"]').waitFor();
  }

  expect(await phone.getByRole('tree').count()).toBe(0);
  const chat = await phone.getByRole('region', { name: /conversation/ }).boundingBox();
  expect(chat).toMatchObject({ x: 0, width: 390 });
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await desk.getByTestId('agents-menu').isVisible()).toBe(false);

  await phone.getByTestId('agents-menu').click();
  const drawer = phone.getByRole('dialog', { name: /agents of/i });
  await drawer.getByRole('tree').waitFor();
  await drawer.locator('[data-node]', { hasText: 'helper' }).click();
  await drawer.waitFor({ state: 'detached' });
  await phone.getByRole('heading', { name: 'helper', level: 1 }).waitFor();
  await phone.locator('[data-block]', { hasText: 'child at work on' }).first().waitFor();

  await phone.getByTestId('agents-menu').click();
  await drawer.locator('[data-node]', { hasText: 'root' }).first().click();
  await drawer.waitFor({ state: 'detached' });
  await phone.getByRole('heading', { name: 'root', level: 1 }).waitFor();
  await phone.getByTestId('message-input').fill('from the phone');
  await phone.getByTestId('send').click();
  for (const page of [phone, desk]) {
    await page.locator('[data-block]', { hasText: 'echo: from the phone' }).first().waitFor();
  }
  await desk.getByTestId('message-input').fill('from the desk');
  await desk.getByTestId('send').click();
  for (const page of [phone, desk]) {
    await page.locator('[data-block]', { hasText: 'echo: from the desk' }).first().waitFor();
  }
});
