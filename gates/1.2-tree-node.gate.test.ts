import { expect, it } from 'vitest';
import { startGatePage } from './support/page.ts';

it('renders nested agents with chevron, dot, name and count; a click selects, the chevron toggles', async () => {
  await using gate = await startGatePage();
  const { page, row, grown } = gate;
  await row('five').locator('.count', { hasText: '1/5' }).waitFor();
  expect(await row('five').locator('[data-chevron] svg').count()).toBe(1);
  expect(await row('is-done').locator('[data-chevron]').count()).toBe(0);
  expect(await row('is-done').locator('.count').count()).toBe(0);
  expect((await row('five').boundingBox())?.height).toBe(28);
  const indent = async (name: string) => (await row(name).locator('.name').boundingBox())?.x ?? 0;
  expect(await indent('five')).toBeGreaterThan(await indent('root'));
  expect(await indent('is-done')).toBeGreaterThan(await indent('five'));

  await row('is-done').click();
  await page.waitForURL(`**?node=${grown.idOf('is-done')}`);
  await page.locator(`[data-node="${grown.idOf('is-done')}"][aria-selected="true"]`).waitFor();

  await row('five').locator('[data-chevron]').click();
  await row('is-done').waitFor({ state: 'detached' });
  expect(await row('five').getAttribute('aria-expanded')).toBe('false');
  expect(new URL(page.url()).searchParams.get('node')).toBe(grown.idOf('is-done'));
  await row('five').locator('[data-chevron]').click();
  await row('is-done').waitFor();
});
