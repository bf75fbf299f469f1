import { Api, startBrowser, startInstance } from '@filepath/testkit';
import { Memory } from '@filepath/protocol';
import { expect, it } from 'vitest';
import { z } from 'zod';

it('[MEM9] [MEM10] a person adds, finds, changes and forgets, and sees in a thread what its agent was given', async () => {
  await using instance = await startInstance();
  await using browser = await startBrowser();
  const api = new Api(instance);
  const stored = async () => {
    const Listed = z.object({ memories: z.array(Memory) });
    const { memories } = await api.json(Listed, 'GET', '/api/memories');
    return memories.map(({ content }) => content);
  };
  const page = await browser.visitor();
  await page.goto(instance.signInUrl);
  // What cannot be read is said to be so, and tried again; what is empty says what to do.
  await page.context().route(/\/api\/memories/, (route) => route.abort());
  await page.goto(`${instance.url}/memory`);
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  expect(await page.getByText('Nothing is remembered').count()).toBe(0);
  await page.context().unroute(/\/api\/memories/);
  await again.click();
  await page.getByText('Say above what all agents should know.').waitFor();
  expect(await again.count()).toBe(0);
  const add = async (content: string) => {
    await page.getByTestId('memory-new').fill(content);
    await page.getByTestId('memory-add').click();
    await page.locator('[data-memory]', { hasText: content }).waitFor();
  };
  await add('Commit in small steps.');
  await add('Never <b>force</b> a push.');

  await page.getByTestId('memory-search').fill('pushes');
  const found = page.locator('[data-memory]');
  await found.filter({ hasText: 'small steps' }).waitFor({ state: 'detached' });
  const edit = found.getByRole('button', { name: /^Edit: Never/ });
  await edit.press('Enter');
  const field = found.getByRole('textbox', { name: 'Memory' });
  const focused = (one: typeof edit) => one.evaluate((node) => node === document.activeElement);
  await expect.poll(() => focused(field)).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(edit)).toBe(true);
  await page.keyboard.press('Enter');
  await field.fill('Never push at all.');
  await field.press('Enter');
  await found.filter({ hasText: 'Never push at all.' }).waitFor();
  expect((await stored()).sort()).toEqual(['Commit in small steps.', 'Never push at all.']);

  await found.getByRole('button', { name: 'Forget: Never push' }).click();
  await page.getByTestId('confirm').click();
  await page.getByText('Nothing fits these words.').waitFor();
  await expect.poll(() => focused(page.getByTestId('memory-search'))).toBe(true);
  await page.getByRole('button', { name: 'Show all' }).click();
  await found.filter({ hasText: 'small steps' }).waitFor();
  expect(await stored()).toEqual(['Commit in small steps.']);

  // Who forgets by keys goes on where they were.
  await add('Names are words.');
  await add('Tests come first.');
  await found.getByRole('button', { name: 'Forget: Tests' }).press('Enter');
  await page.getByTestId('confirm').press('Enter');
  await expect.poll(() => focused(found.getByRole('button', { name: 'Forget: Names' }))).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByTestId('confirm').press('Enter');
  await expect
    .poll(() => focused(found.getByRole('button', { name: 'Forget: Commit' })))
    .toBe(true);

  const { session, node } = await api.agent(['sh', '-c', 'read -r task']);
  await page.goto(`${instance.url}/session/${session.id}`);
  await page.locator(`[data-node="${node.id}"]`).first().click();
  await page.getByTestId('message-input').fill('go');
  await page.getByTestId('message-input').press('Enter');
  const block = page.locator('[data-block="memories"]');
  await block.getByText('given from memory · 1 note').click();
  await block.getByText('Commit in small steps.').waitFor();
  await block.getByText('by a person').waitFor();
  await block.getByRole('button', { name: 'Forget: Commit' }).click();
  await block.getByText('forgotten').waitFor();
  expect(await stored()).toEqual([]);
});
