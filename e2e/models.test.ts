import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { Api, startBrowser, startInstance, startModelList } from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const KEY = 'sk-or-good-canary-0123456789-wxyz';

async function axe(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    (one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`,
  );
}

async function shot(page: Page, name: string): Promise<void> {
  const dir = process.env['SCREENSHOTS'];
  if (dir) await page.screenshot({ path: `${dir}/${name}.png` });
}

/** Opens the dialog in which the first agent of a new session is made. */
async function openSpawn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByTestId('new-session').first().click();
  await page.getByTestId('create-session').click();
  await page.waitForURL('**/session/ses_*');
  await page.getByTestId('model').waitFor();
}

/** Waits until these can be chosen: the list puts its rows on the page once it knows its size. */
async function offers(page: Page, ...models: string[]): Promise<void> {
  const options = page.locator('[data-model]:not([aria-disabled="true"])');
  await expect
    .poll(() =>
      options.evaluateAll((all) => all.map((one) => one.getAttribute('data-model') ?? '')),
    )
    .toEqual(models);
}

/** Waits until this is in the field: agents and models are asked for apart. */
async function chosen(page: Page, model: string): Promise<void> {
  await expect.poll(() => page.getByTestId('model').inputValue()).toBe(model);
}

it('without a key offline/demo is chosen and said; a key under Settings brings models to choose', async () => {
  await using list = await startModelList();
  await using instance = await startInstance({ OPENROUTER_BASE_URL: list.url });
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);

  await openSpawn(page, instance.url);
  await page.getByTestId('no-key').waitFor();
  await chosen(page, 'offline/demo');
  await expect.poll(() => page.getByRole('radio').count()).toBeGreaterThanOrEqual(7);
  await page.getByTestId('model').click();
  await offers(page, 'offline/demo');
  await page
    .locator('[data-model="anthropic/claude-sonnet-4.6"]', { hasText: '$3 / $15' })
    .waitFor();
  expect(await axe(page)).toEqual([]);
  await shot(page, 'spawn-offline');

  // Escape closes the list, and the dialog stays.
  await page.keyboard.press('Escape');
  await page.getByTestId('model-list').waitFor({ state: 'detached' });
  await page.getByTestId('no-key').getByRole('link').click();
  await page.waitForURL('**/settings');
  await page.getByText('No provider has a key').waitFor();
  expect(await axe(page)).toEqual([]);

  await page.getByTestId('add-provider').click();
  await page.getByLabel(/^URL/).fill(list.url);
  await page.getByTestId('provider-key').fill(KEY);
  expect(await axe(page)).toEqual([]);
  await shot(page, 'settings-add');
  await page.getByTestId('provider-save').click();
  const row = page.locator('[data-provider="openrouter"]');
  await row.getByText('takes the key').waitFor();
  await row.getByText('key ••••wxyz').waitFor();
  expect(await page.content()).not.toContain(KEY.slice(0, 20));

  await page.getByLabel('Dollars').first().fill('2.50');
  await page.getByTestId('budget-save').click();
  await page.getByText('Saved.').waitFor();
  const defaults = page.getByTestId('budget-defaults');
  await defaults
    .getByRole('group', { name: 'agent that you spawn' })
    .getByLabel('Dollars')
    .fill('1.25');
  await page.getByTestId('budget-defaults-save').click();
  await page.getByText('Saved.').nth(1).waitFor();
  expect(await axe(page)).toEqual([]);
  await shot(page, 'settings');

  await openSpawn(page, instance.url);
  await chosen(page, 'anthropic/claude-sonnet-4.6');
  const more = page.getByTestId('spawn-more');
  await more.locator('summary', { hasText: 'budget' }).click();
  expect(await more.getByLabel('Budget in dollars').inputValue()).toBe('1.25');
  await page.getByTestId('model').click();
  await offers(
    page,
    'offline/demo',
    'anthropic/claude-sonnet-4.6',
    'anthropic/claude-haiku-4.5',
    'openai/gpt-5.4',
    'maker/tiny',
  );
  await shot(page, 'spawn-models');
  await page.getByTestId('model').fill('gpt');
  await offers(page, 'openai/gpt-5.4');
  await page.keyboard.press('Enter');
  await chosen(page, 'openai/gpt-5.4');
  // The first opens the list at what is chosen, the second moves on from there.
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-model="openai/gpt-5.4"][data-highlighted]').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-model="maker/tiny"][data-highlighted]').waitFor();
  await page.keyboard.press('Enter');
  await chosen(page, 'maker/tiny');

  // The agent and its model are remembered.
  await page.getByLabel('Custom').check();
  await page.getByTestId('model').fill('maker/tiny');
  await page.getByTestId('model-list').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('model-list').waitFor({ state: 'detached' });
  await page.getByLabel(/command/i).fill('true');
  await page.getByTestId('spawn-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const used = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await openSpawn(page, instance.url);
  expect(await page.getByLabel('Custom').isChecked()).toBe(true);
  await chosen(page, 'maker/tiny');
  const { nodes } = await new Api(instance).tree(used);
  expect(nodes[0]).toMatchObject({ agentType: 'custom', model: 'maker/tiny' });

  for (const [name, look] of [
    ['phone', { width: 390 }],
    ['dark', { dark: true }],
  ] as const) {
    const other = await browser.visitor(look);
    await other.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await other.goto(`${instance.url}/settings`);
    await other.locator('[data-provider="openrouter"]').waitFor();
    expect(await axe(other)).toEqual([]);
    await shot(other, `settings-${name}`);
    await openSpawn(other, instance.url);
    await other.getByTestId('model').click();
    await other.locator('[data-model="maker/tiny"]').waitFor();
    expect(await axe(other)).toEqual([]);
    await shot(other, `spawn-${name}`);
  }

  // A provider that is removed is gone from the page and from the disk.
  expect(filesWith(instance.home, KEY)).toEqual([]);
  await page.goto(`${instance.url}/settings`);
  await page.getByRole('button', { name: 'Remove OpenRouter' }).click();
  await page.getByTestId('confirm').click();
  await page.getByText('No provider has a key').waitFor();

  await page.goto(`${instance.url}/`);
  const rows = page.locator('[data-session]');
  await rows.first().waitFor();
  const before = await rows.count();
  await rows
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await page.getByTestId('confirm').click();
  await expect.poll(() => rows.count()).toBe(before - 1);
});

it('[UIS7] a long list of models has no fault that axe finds, in either theme, and is read by keys', async () => {
  await using list = await startModelList({ more: 200 });
  await using instance = await startInstance({
    OPENROUTER_BASE_URL: list.url,
    OPENROUTER_API_KEY: KEY,
  });
  await using browser = await startBrowser();
  for (const look of [{}, { dark: true }]) {
    const page = await browser.visitor(look);
    await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
    await openSpawn(page, instance.url);
    await expect.poll(() => page.getByTestId('model').inputValue()).toContain('claude-sonnet');
    await page.getByTestId('model').fill('many/');
    await page.locator('[data-model="many/model-1"]').waitFor();
    const models = page.getByTestId('model-list');
    await expect
      .poll(() => models.evaluate((box) => box.scrollHeight / box.clientHeight))
      .toBeGreaterThan(10);
    expect(await axe(page)).toEqual([]);
    await shot(page, `models-many-${'dark' in look ? 'dark' : 'light'}`);

    const highlighted = page.locator('[data-model][data-highlighted]');
    let last: string | null = null;
    for (let at = 1; at <= 20; at += 1) {
      await page.keyboard.press('ArrowDown');
      // The row below is on the page only once the list has scrolled.
      await expect.poll(() => highlighted.getAttribute('data-model')).not.toBe(last);
      last = await highlighted.getAttribute('data-model');
    }
    await expect
      .poll(async () => {
        const [box, row] = [await models.boundingBox(), await highlighted.boundingBox()];
        if (box === null || row === null) return false;
        return row.y >= box.y && row.y + row.height <= box.y + box.height;
      })
      .toBe(true);
    expect(await models.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
    expect(await axe(page)).toEqual([]);
    await page.context().close();
  }
});

/** Files of a home that have a text in them, in the clear. It is in use: files come and go. */
function filesWith(home: string, text: string): string[] {
  const args = [home, '-ignore_readdir_race', '-type', 'f'];
  const found = execFileSync('find', args, { encoding: 'utf8' }).trim().split('\n');
  return found.filter((file) => {
    const there = statSync(file, { throwIfNoEntry: false });
    return there !== undefined && there.size < 1e9 && textOf(file).includes(text);
  });
}

function textOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return Buffer.alloc(0);
    throw error;
  }
}

it('[PRO14] a key of the environment is on no page, in no answer and in no file of the home', async () => {
  await using list = await startModelList();
  await using instance = await startInstance({
    OPENROUTER_BASE_URL: list.url,
    OPENROUTER_API_KEY: KEY,
  });
  const api = new Api(instance);
  const texts: string[] = [];
  for (const path of ['/api/providers', '/api/models', '/api/health', '/api/openapi.json'])
    texts.push(await (await api.call('GET', path)).text());
  texts.push(await (await api.call('POST', '/api/providers/openrouter/test')).text());
  expect(texts.at(-1)).toContain('takes the key');
  texts.push(await (await api.call('DELETE', '/api/providers/openrouter')).text());
  expect(texts.join('\n')).not.toContain(KEY);
  expect(readdirSync(instance.home)).toContain('engine.log');
  expect(readFileSync(join(instance.home, 'engine.log'), 'utf8')).not.toContain(KEY);
  expect(filesWith(instance.home, KEY)).toEqual([]);
});
