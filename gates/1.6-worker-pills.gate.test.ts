import { expect, it } from 'vitest';
import { startGatePage, STATUSES } from './support/page.ts';

it('renders a pill for each child with the colour of its status; a click selects the child in the tree', async () => {
  await using gate = await startGatePage();
  const { page, row, grown } = gate;
  await row('five').click();
  const pills = page.getByRole('list', { name: 'Workers' });
  for (const status of STATUSES) {
    const pill = pills.getByRole('button', { name: `is-${status}, ${status}`, exact: true });
    await pill.waitFor();
    const color = (dot: Element): string => getComputedStyle(dot).backgroundColor;
    expect(await pill.locator('[data-dot]').evaluate(color)).toBe(
      await row(`is-${status}`).locator('[data-dot]').evaluate(color),
    );
  }
  await pills.getByRole('button', { name: /^is-error/ }).click();
  await page.waitForURL(`**?node=${grown.idOf('is-error')}`);
  await page.locator(`[data-node="${grown.idOf('is-error')}"][aria-selected="true"]`).waitFor();
});
