import { startBrowser, startInstance } from '@filepath/testkit';
import { expect, it } from 'vitest';

it('[UIH10] the documentation is read in the app, without a sign-in: contents, search, links between pages, anchors, tables, code', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(`${instance.url}/docs`);
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
  await page.getByTestId('docs-search').fill('trees');
  const contents = page.getByRole('navigation', { name: 'Documentation' });
  await contents.getByRole('link', { name: 'Trees of agents' }).click();
  await page.waitForURL('**/docs/explanation/trees');
  const article = page.getByRole('main');
  await article.getByRole('heading', { name: 'Caps' }).waitFor();
  await expect.poll(() => page.title()).toBe('Trees of agents · filepath');
  expect(await article.getByRole('cell', { name: 'levels of a tree' }).count()).toBe(1);

  await article.getByRole('link', { name: 'environment' }).first().click();
  await page.waitForURL('**/docs/reference/environment');
  await article.getByRole('heading', { level: 1 }).waitFor();
  await page.goto(`${instance.url}/docs/explanation/trees#the-line`);
  await article.getByRole('heading', { name: 'The line' }).waitFor();
  await expect
    .poll(() => article.getByRole('heading', { name: 'The line' }).boundingBox())
    .toMatchObject({ y: expect.closeTo(64, -2) });

  await page.goto(`${instance.url}/docs/no/such-page`);
  await article.getByRole('heading', { name: 'There is no such page.' }).waitFor();
});

it('[UIH10] on a phone the contents are a page of their own', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor({ width: 390 });
  await page.goto(`${instance.url}/docs`);
  await page.getByRole('link', { name: 'FAP', exact: true }).click();
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.getByRole('link', { name: 'All pages' }).click();
  await page.getByTestId('docs-search').waitFor();
});

it('[UIH11] an address that names nothing says so, and leads on', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(`${instance.url}/nothing/here`);
  await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
  await page.getByTestId('error-page').getByRole('link', { name: 'Documentation' }).click();
  await page.waitForURL('**/docs');
});
