import { expect, it } from 'vitest';
import { startGatePage } from './support/page.ts';

it('renders three levels under its heading, with the spawn button below; a selection reaches the panel', async () => {
  await using gate = await startGatePage();
  const { page, row } = gate;
  await page.getByRole('heading', { name: /^agents/i }).waitFor();
  const levels = await page
    .locator('[role="tree"] [role="treeitem"]')
    .evaluateAll((items) => items.map((item) => item.getAttribute('aria-level')));
  expect(levels).toEqual(['1', '2', '3', '3', '3', '3', '3', '2']);
  await row('is-error').click();
  await page.getByRole('heading', { level: 1, name: 'is-error' }).waitFor();

  const tree = await page.locator('[role="tree"]').boundingBox();
  const spawn = await page.getByTestId('spawn').boundingBox();
  expect(spawn?.y ?? 0).toBeGreaterThanOrEqual((tree?.y ?? 0) + (tree?.height ?? 0));
});

it('has a width from 150 to 360 px, drawn by its handle', async () => {
  await using gate = await startGatePage();
  const { page } = gate;
  const pane = page.getByTestId('tree-pane');
  const width = async () => Math.round((await pane.boundingBox())?.width ?? 0);
  const draw = async (to: number): Promise<void> => {
    const handle = await page.getByTestId('tree-resizer').boundingBox();
    if (!handle) throw new Error('there is no handle');
    await page.mouse.move(handle.x + handle.width / 2, handle.y + 200);
    await page.mouse.down();
    await page.mouse.move(to, handle.y + 200, { steps: 8 });
    await page.mouse.up();
  };
  await draw(300);
  await expect.poll(async () => Math.abs((await width()) - 300)).toBeLessThan(6);
  await draw(900);
  await expect.poll(async () => Math.abs((await width()) - 360)).toBeLessThan(3);
  await draw(20);
  await expect.poll(async () => Math.abs((await width()) - 150)).toBeLessThan(3);
});
