import { ModelList } from '@filepath/protocol';
import {
  Api,
  type Instance,
  type ModelListServer,
  startBrowser,
  startInstance,
  startModelList,
} from '@filepath/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let list: ModelListServer;
let instance: Instance;
let api: Api;
beforeAll(async () => {
  list = await startModelList();
  instance = await startInstance({
    OPENROUTER_BASE_URL: list.url,
    OPENROUTER_API_KEY: 'sk-or-good-of-a-gate',
  });
  api = new Api(instance);
});
afterAll(async () => {
  await instance[Symbol.asyncDispose]();
  await list[Symbol.asyncDispose]();
});

it('the endpoint returns the models of OpenRouter by provider, and keeps them', async () => {
  const read = (): Promise<ModelList> => api.json(ModelList, 'GET', '/api/models');
  // A reader waits some seconds for the first list, no longer.
  await expect.poll(read).toMatchObject({ source: 'openrouter', stale: false, configured: true });
  const models = await read();
  expect(models.groups.map(({ provider }) => provider)).toEqual([
    'offline',
    'anthropic',
    'openai',
    'maker',
  ]);
  expect(models.groups[1]?.models[0]).toEqual({
    id: 'anthropic/claude-sonnet-4.6',
    name: 'Claude Sonnet 4.6',
    contextLength: 200_000,
    maxOutput: 64_000,
    price: { input: 3, output: 15 },
    available: true,
  });
  list.fail(503);
  const again = await read();
  expect(again.groups).toEqual(models.groups);
  expect(list.asked.filter(({ path }) => path === '/v1/models')).toHaveLength(1);
});

it('the dropdown of the spawn dialog has them', async () => {
  await using browser = await startBrowser();
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  await page.getByTestId('new-session').first().click();
  await page.getByTestId('create-session').click();
  await page.getByTestId('model').click();
  await page.locator('[data-model="maker/tiny"]').waitFor();
  const offered = await page
    .locator('[data-model]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-model')));
  expect(offered).toEqual([
    'offline/demo',
    'anthropic/claude-sonnet-4.6',
    'anthropic/claude-haiku-4.5',
    'openai/gpt-5.4',
    'maker/tiny',
  ]);
});
