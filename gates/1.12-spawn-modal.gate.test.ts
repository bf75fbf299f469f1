import { ModelList } from '@filepath/protocol';
import {
  Api,
  type Instance,
  type ModelListServer,
  startBrowser,
  startInstance,
  startModelList,
  type TestBrowser,
} from '@filepath/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

let list: ModelListServer;
let instance: Instance;
let browser: TestBrowser;
let api: Api;
beforeAll(async () => {
  list = await startModelList({ more: 400 });
  instance = await startInstance({
    OPENROUTER_BASE_URL: list.url,
    OPENROUTER_API_KEY: 'sk-or-good-of-a-gate',
  });
  browser = await startBrowser();
  api = new Api(instance);
  // A page that asks before the list is there has the built-in one.
  const isRead = async (): Promise<boolean> =>
    (await api.json(ModelList, 'GET', '/api/models')).source === 'openrouter';
  await vi.waitUntil(isRead, 60_000);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await instance[Symbol.asyncDispose]();
  await list[Symbol.asyncDispose]();
});

async function session(page: Page): Promise<string> {
  const { session: made } = await api.agent(['true'], { name: 'above' });
  await page.goto(`${instance.url}/api/auth/sign-in/link?token=${instance.token}`);
  await page.goto(`${instance.url}/session/${made.id}`);
  return made.id;
}

async function open(page: Page): Promise<void> {
  await page.getByTestId('spawn').click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('radio', { name: 'Shelley' }).waitFor();
}

const highlighted = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const id = document
      .querySelector('[data-testid="model"]')
      ?.getAttribute('aria-activedescendant');
    return (id ? document.getElementById(id)?.getAttribute('data-model') : null) ?? null;
  });

it('opens and closes; the name rerolls; the chosen agent is highlighted and described', async () => {
  const page = await browser.visitor();
  await session(page);
  await open(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await open(page);
  const name = page.getByLabel('Name', { exact: true });
  const names = new Set<string>();
  for (let rolls = 0; rolls < 12; rolls += 1) {
    names.add(await name.inputValue());
    await page.getByTestId('reroll').click();
  }
  expect([...names].filter((one) => !/^[a-z]+-\d{1,2}$/.test(one))).toEqual([]);
  expect(names.size).toBeGreaterThan(1);
  expect(await page.getByRole('dialog').getByLabel(/task/i).count()).toBe(0);

  const before = await page.getByTestId('agent-description').innerText();
  await page.getByRole('radio', { name: 'Shelley' }).focus();
  await page.keyboard.press('ArrowRight');
  const pi = page.getByRole('radio', { name: 'Pi', exact: true });
  expect(await pi.isChecked()).toBe(true);
  expect(await page.getByTestId('agent-description').innerText()).not.toBe(before);
  const colours = await page
    .locator('label:has(> input[name="agentType"])')
    .evaluateAll((all) =>
      all.map((one) => [
        one.querySelector('input')?.checked,
        getComputedStyle(one).backgroundColor,
      ]),
    );
  const [on] = colours.filter(([checked]) => checked === true);
  expect(colours.filter(([, colour]) => colour === on?.[1])).toEqual([on]);
});

it('[UIS2] the dropdown of models filters, is driven by keys, and is light with many models', async () => {
  const page = await browser.visitor();
  await session(page);
  await open(page);
  const model = page.getByTestId('model');
  await model.fill('gpt');
  await page.locator('[data-model="openai/gpt-5.4"]').waitFor();
  expect(await page.locator('[data-model]').count()).toBe(1);
  await page.getByTestId('model-list').getByText('OpenAI', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  expect(await model.inputValue()).toBe('openai/gpt-5.4');

  // From the chosen one down, further than what was in the page at first.
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => highlighted(page)).toBe('openai/gpt-5.4');
  expect(await page.locator('[data-model]').count()).toBeLessThan(60);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => highlighted(page)).toBe('maker/tiny');
  // However fast they come, no key is lost.
  for (let at = 1; at <= 40; at += 1) await page.keyboard.press('ArrowDown');
  await expect.poll(() => highlighted(page)).toBe('many/model-40');
  await page.keyboard.press('End');
  await expect.poll(() => highlighted(page)).toBe('many/model-400');
  await page.keyboard.press('PageUp');
  await expect.poll(() => highlighted(page)).toBe('many/model-390');
  await page.keyboard.press('Enter');
  expect(await model.inputValue()).toBe('many/model-390');

  // What was chosen is in sight when the list opens again, however far down it is.
  await model.fill('many/model-399');
  await page.keyboard.press('Enter');
  await model.click();
  await expect.poll(() => highlighted(page)).toBe('many/model-399');
  const chosen = page.locator('[data-model="many/model-399"]');
  await expect
    .poll(() =>
      chosen.evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        const list = one.closest('[role="listbox"]')?.getBoundingClientRect();
        return list !== undefined && top >= list.top && bottom <= list.bottom;
      }),
    )
    .toBe(true);
  await page.keyboard.press('Escape');
  await page.getByTestId('model-list').waitFor({ state: 'detached' });
  await page.getByRole('dialog').waitFor();
});

it('[UIS2] spawns { name, agent, model } below the selected agent, or at the root, and remembers agent and model', async () => {
  const page = await browser.visitor();
  const id = await session(page);
  await open(page);
  await page.getByRole('dialog', { name: 'Spawn below above' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('helper');
  await page.getByRole('radio', { name: 'Pi', exact: true }).check({ force: true });
  await page.getByTestId('model').fill('maker/tiny');
  await page.getByTestId('model-list').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('model-list').waitFor({ state: 'detached' });
  await page.getByTestId('spawn-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('[data-node]', { hasText: 'helper' }).waitFor();
  const [above, helper] = (await api.tree(id)).nodes;
  expect(helper).toMatchObject({
    name: 'helper',
    agentType: 'pi',
    model: 'maker/tiny',
    parentId: above?.id,
  });

  await open(page);
  expect(await page.getByRole('radio', { name: 'Pi', exact: true }).isChecked()).toBe(true);
  await expect.poll(() => page.getByTestId('model').inputValue()).toBe('maker/tiny');
  await page.getByRole('radio', { name: 'at the root' }).check({ force: true });
  await page.getByLabel('Name', { exact: true }).fill('second root');
  await page.getByTestId('spawn-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { nodes } = await api.tree(id);
  expect(nodes.find(({ name }) => name === 'second root')).toMatchObject({ parentId: null });
});

it('[UIS3] limits, network, gates and image are behind a fold; what is wrong is said beside its field', async () => {
  const page = await browser.visitor();
  const id = await session(page);
  await open(page);
  const dialog = page.getByRole('dialog');
  await page.getByRole('radio', { name: 'Custom' }).check({ force: true });
  await page.getByLabel('Command (shell)').fill('');
  await page.getByTestId('spawn-confirm').click();
  await dialog.getByText('The agent needs a command to run').waitFor();
  expect(await page.getByLabel('Command (shell)').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Command (shell)').fill('./agent.sh');

  expect(await page.getByLabel('Gates').count()).toBe(0);
  await page.getByTestId('spawn-more').locator('summary').click();
  await page.getByLabel('Budget in dollars').fill('two');
  await page.getByLabel('Gates').fill('npm test\nnpm run lint\n');
  await page.getByLabel('Failures that go back to it').fill('3');
  await page.getByRole('radio', { name: 'allowlist' }).check({ force: true });
  await page.getByLabel('Allowed hosts').fill('example.com, *.com');
  await page.getByLabel('Environment variables').fill('A=1');
  await page.getByTestId('spawn-more').locator('summary').click();
  await page.getByTestId('spawn-confirm').click();
  // The fold opens where something in it is wrong.
  await dialog.getByText('Enter a number, or nothing for no limit.').waitFor();
  await page.getByLabel('Budget in dollars').fill('2.5');
  await page.getByTestId('spawn-confirm').click();
  await dialog.getByText('expected a domain like example.com').waitFor();
  expect(await page.getByLabel('Allowed hosts').getAttribute('aria-invalid')).toBe('true');

  await page.getByLabel('Allowed hosts').fill('example.com');
  await page.getByRole('radio', { name: 'at the root' }).check({ force: true });
  await page.getByTestId('spawn-confirm').click();
  await dialog.waitFor({ state: 'detached' });
  const { nodes } = await api.tree(id);
  expect(nodes.find(({ parentId, name }) => parentId === null && name !== 'above')).toMatchObject({
    agentType: 'custom',
    budget: { usd: 2.5, tokens: null },
    config: {
      command: ['sh', '-c', './agent.sh'],
      network: { policy: 'allowlist', allow: ['example.com'] },
      gates: { commands: [{ run: 'npm test' }, { run: 'npm run lint' }], attempts: 3 },
    },
  });
});
